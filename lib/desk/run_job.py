"""The process of one job of the desk: `python -m desk.run_job KEY`; `jobs.start` starts it."""

import sys

from desk import store


def main(key: str) -> None:
    store.connect()
    from desk.jobs import run  # models are there only now

    run(key)


if __name__ == "__main__":
    main(sys.argv[1])
