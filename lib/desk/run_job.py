"""The process of one job of the desk: `python -m desk.run_job KEY`; `jobs.start` starts it."""

import os
import sys

import django


def main(key: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
    django.setup()
    from desk.jobs import run  # models are there only now

    run(key)


if __name__ == "__main__":
    main(sys.argv[1])
