"""The desk's tests run on SQLite in a folder of their own; PROCTOR_TEST_DB=postgresql://... runs them on PostgreSQL."""

import os
import tempfile

import django
import pytest

os.environ["PROCTOR_DESK"] = tempfile.mkdtemp(prefix="proctor-desk-")
os.mkdir(os.path.join(os.environ["PROCTOR_DESK"], "static"))
os.environ["PROCTOR_DESK_DB"] = os.environ.get("PROCTOR_TEST_DB", "")
os.environ["DJANGO_SETTINGS_MODULE"] = "proctor.platform.settings"
django.setup()

from django.conf import settings  # noqa: E402
from proctor.platform.models import Account, Answer, Question, System  # noqa: E402

settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a slow one would take most of the time


@pytest.fixture
def reviewer(db):
    return Account.objects.create_user("ada", password="a long pass phrase", role="reviewer")


@pytest.fixture
def question(db):
    return Question.objects.create(
        key="math/1", site="math", title="Is it so?", body="Why $x$?", licence="CC BY-SA 4.0"
    )


@pytest.fixture
def answer(question, reviewer):
    system = System.objects.create(organisation="Lab", name="System A", base_model="base")
    return Answer.objects.create(
        question=question, system=system, prompt="Answer.", text="Because $x=1$.", submitted_by=reviewer
    )
