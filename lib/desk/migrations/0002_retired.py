# Tables of desks from before 27 November 2026: who works on a question, and Django's permissions, which nobody had.

from django.db import migrations

TABLES = ("desk_worker", "desk_account_groups", "desk_account_user_permissions")


class Migration(migrations.Migration):
    dependencies = [("desk", "0001_desk")]
    operations = [migrations.RunSQL(f"DROP TABLE IF EXISTS {table}", migrations.RunSQL.noop) for table in TABLES]
