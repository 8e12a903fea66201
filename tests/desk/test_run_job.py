"""The process of a job, killed while it asks. The judges are a local server."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

import pytest
from desk import jobs
from desk.models import Answer, Job, Verdict
from django.db import connection
from django.utils import timezone

from ..chat_server import Server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the process finds the test's database by its file")
def test_a_killed_process_loses_no_verdict_and_pays_no_kept_reply_again(
    mira, three_answers, launched, monkeypatch, settings, tmp_path
):
    settings.FOLDER = tmp_path
    more = [
        Answer(question=one.question, system=one.system, prompt="p", text=f"{n}", submitted_by=mira)
        for n in range(3)
        for one in three_answers
    ]
    answers = [*three_answers, *Answer.objects.bulk_create(more)]

    def judged(text):
        if server.asked > 2:
            killed.wait(600)
        return "Accepted: [[Y]]"

    killed = threading.Event()

    with Server(judged) as server:
        monkeypatch.setenv("PROCTOR_DESK_JUDGES", f"openai/fake@{server.url}")
        monkeypatch.setenv("PROCTOR_DESK_CALLS", "100")
        job = jobs.start(mira, jobs.plan(mira, "C", jobs.judges(), answers))
        here = {"PYTHONPATH": str(Path(jobs.__file__).parents[1]), "PROCTOR_DESK": str(tmp_path), "PROCTOR_DESK_DB": ""}
        (tmp_path / "desk.sqlite3").symlink_to(connection.settings_dict["NAME"])
        process = subprocess.Popen([sys.executable, "-m", "desk.run_job", job.key], env=os.environ | here)
        while not Verdict.objects.exists():
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        killed.set()
        assert 1 <= Verdict.objects.count() == len(Job.objects.get().judged) < len(answers)
        assert Job.objects.get().state == "running"  # nobody could tell; it is found by its silence
        Job.objects.update(beat_at=timezone.now() - timedelta(minutes=1))
        jobs.start(mira, job)
        jobs.run(job.key)
        assert Verdict.objects.count() == len(answers) and Job.objects.get().state == "done"
        assert server.asked <= len(answers) + jobs.AT_ONCE  # only calls in flight at the kill may be asked again
