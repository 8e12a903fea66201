"""The process of one job of the desk: `python -m proctor.platform.run_job KEY`; `jobs.start` starts it."""

import os
import sys

import django


def main(key: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "proctor.platform.settings")
    django.setup()
    from proctor.platform.jobs import run  # models are there only now

    run(key)


if __name__ == "__main__":
    main(sys.argv[1])
