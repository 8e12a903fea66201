# Who works on a question: a table of desks from before 27 November 2026.

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("desk", "0001_desk")]
    operations = [migrations.RunSQL("DROP TABLE IF EXISTS desk_worker", migrations.RunSQL.noop)]
