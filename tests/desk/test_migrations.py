"""A desk of the five migrations that are one now goes on, one that stands between them is told what to do."""

import pytest
from desk import command, search
from desk.models import Question
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

APPLIED = MigrationRecorder.Migration.objects.filter(app="desk")


@pytest.mark.django_db(transaction=True)
def test_a_desk_that_stands_at_the_last_of_the_five_goes_on_with_its_rows(question):
    assert APPLIED.count() == 7
    APPLIED.filter(name__in=["0001_desk", "0002_retired"]).delete()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE desk_worker (id integer)")
    command.ready()
    assert APPLIED.count() == 7 and search.find("so") == [Question.objects.get().pk]
    assert "desk_worker" not in connection.introspection.table_names()


def test_a_desk_between_the_five_is_to_be_opened_with_an_older_version_first(question):
    APPLIED.filter(name__gt="0004").delete()
    APPLIED.filter(name__in=["0001_desk", "0002_retired"]).delete()
    with pytest.raises(RuntimeError, match="last migration is 0003_rounds_and_jobs.*f7b194f1"):
        command.ready()
    assert APPLIED.count() == 3 and Question.objects.exists()


def test_models_and_migrations_agree(db):
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
