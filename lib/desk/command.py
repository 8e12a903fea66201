"""The desk from the command line.

    python -m proctor platform                          open it: makes, fills and serves the desk in build/desk
    python -m proctor platform moderator ada            make a moderator (a new account asks for its password)
    python -m proctor platform load releases/2          the questions of a release of UQ's dataset
    python -m proctor platform export out               everything into a new folder; import reads it into an empty desk

PROCTOR_DESK names another folder, PROCTOR_DESK_DB a PostgreSQL database (see `settings`).
"""

import os
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer
from django.db import OperationalError
from proctor import COMMAND_LINE, program

from desk import store

app = typer.Typer(
    name="platform",
    help="UQ's review desk: `open` is what it does without a command. PROCTOR_DESK names its folder (build/desk).",
    no_args_is_help=False,
    **COMMAND_LINE,
)
Port = Annotated[int, typer.Option(help="where it listens", min=1, max=65535)]
Host = Annotated[str, typer.Option(help="the address it listens on; 0.0.0.0 for all (see PROCTOR_DESK_HOSTS)")]
Workers = Annotated[int, typer.Option(help="processes", min=1, max=64)]
Admin = Annotated[bool, typer.Option("--admin", help="open Django's admin to the account, too")]
Empty = Annotated[bool, typer.Option("--empty", help="leave an empty desk empty: a public one needs nothing made up")]
Format = Annotated[str, typer.Option(help="jsonl or parquet")]
Rounds = Annotated[bool, typer.Option("--rounds", help="rounds too, with who cast which blind ballot: to move a desk")]
THREADS = 16  # of a process; a slow client holds one for `server.SECONDS` at most


def main(arguments: Sequence[str] = ()) -> None:
    """Run the command line; without a command's name it is `open`. `proctor.cli` tells what it raises."""
    words = [*arguments]
    named = words[:1] and (not words[0].startswith("-") or words[0] in ("-h", "--help"))
    try:
        app(words if named else ["open", *words], prog_name=f"{program()} platform")
    except OperationalError as error:
        told = " ".join(str(error).split())[:300]
        raise RuntimeError(f"the desk's database can't be reached or written ({told}). Nothing was changed.") from None


def ready() -> None:
    """The desk's tables as this version needs them. Raises RuntimeError for tables of which only an older one knows."""
    store.connect()
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.recorder import MigrationRecorder

    replaced = import_module("desk.migrations.0001_desk").Migration.replaces
    applied = {*replaced} & {*MigrationRecorder(connection).applied_migrations()}
    if 0 < len(applied) < len(replaced):
        raise RuntimeError(
            f"the desk's database is of an older version (its last migration is {max(applied)[1]}). Open it once with "
            "commit f7b194f1 of Proctor, then with this one. Nothing was changed."
        )
    call_command("migrate", verbosity=0, interactive=False)


@app.command("open")
def open_desk(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 2, empty: Empty = False) -> None:
    """Serve the desk; an empty one gets a made-up community first, unless --empty. Control-C ends it."""
    _free(host, port)
    ready()
    from django.core.management import call_command

    from desk.models import Account, Question

    if not empty and not Question.objects.exists():
        from desk.seed import seed

        print(f"made up: {_told(seed())}", flush=True)
    call_command("clearsessions", verbosity=0)
    print(f"the review desk: http://{'localhost' if host == '127.0.0.1' else host}:{port}/", flush=True)
    if not Account.objects.filter(role="moderator").exclude(password__startswith="!").exists():
        print(f"become its moderator: {program()} platform moderator NAME", flush=True)
    told = f"--workers={workers} --threads={THREADS} --bind={host}:{port} --log-level=warning"
    command = ["-m", "gunicorn", "desk.wsgi", "--config=python:desk.server", *told.split()]
    os.execv(sys.executable, [sys.executable, *command])


def _free(host: str, port: int) -> None:
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind((host, port))
        except OSError as error:
            raise OSError(f"{host}:{port} can't be listened on ({error.strerror}): give another --port") from None


@app.command()
def load(release: Annotated[Path, typer.Argument(help="a release's folder, or a folder of releases")]) -> None:
    """Load the questions of a release of UQ's dataset."""
    ready()
    from desk.releases import load_release

    new, changed = load_release(release)
    print(f"{new} questions are new, {changed} have changed")


@app.command()
def digest() -> None:
    """Mail what is new since their last digest to those who asked for it; for cron. See PROCTOR_DESK_MAIL."""
    ready()
    from desk.feeds import send_digests

    print(f"{_told(dict(digest=send_digests()))} sent")


@app.command("export")
def export_all(folder: Path, format: Format = "jsonl", rounds: Rounds = False) -> None:
    """Write the desk into a new folder, but for passwords, e-mail addresses, tokens and rounds of review."""
    ready()
    from desk.files import export

    print(f"{folder}: {_told(export(folder, format, rounds))}")


@app.command("import")
def import_folder(folder: Path) -> None:
    """Read an export into an empty desk."""
    ready()
    from desk.files import import_all

    print(f"{folder}: {_told(import_all(folder))}")


@app.command()
def moderator(name: str, admin: Admin = False) -> None:
    """Make an account a moderator; asks for a password where it has none."""
    ready()
    from desk import people
    from desk.models import Account

    account = Account.objects.filter(username=name).first()
    if account is None or not account.has_usable_password():
        password = typer.prompt(f"A password for {name}", hide_input=True, confirmation_prompt=True)
        account = people.set_password(account, password) if account else people.sign_up(name, password)
    people.decide(None, account, "role moderator")
    if admin:
        people.make_admin(account)
    print(f"{name} is a moderator" + (", and an admin: /admin/" if admin else ""))


@app.command("run-job", hidden=True)
def run_job(key: str) -> None:
    """The process of a validator run; `jobs.launch` starts it."""
    store.connect()
    from desk.jobs import run

    run(key)


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}{'s' * (n > 1)}" for name, n in counts.items() if n) or "nothing"
