"""Sessions that ask the faulty server, in this process or in forks."""

import asyncio
import multiprocessing
import signal

import pytest
from proctor.models import session


@pytest.fixture(autouse=True)
def quick_look(monkeypatch):
    """The clock of leases goes ten times as fast."""
    monkeypatch.setattr(session, "LOOK", 0.02)


@pytest.fixture(params=["open", "claude"])
def model(request):
    """A model of each interface."""
    return request.param


@pytest.fixture
def run():
    """`run(session, requests)`: ask, close, and return the replies or the error."""

    async def main(session, requests):
        async with session:
            try:
                return await session.ask_many(requests)
            except Exception as error:
                return error

    return lambda session, requests: asyncio.run(main(session, requests))


@pytest.fixture
def forked():
    """`forked(function, *arguments)`: a process that runs it, with all that this one has imported. It ends with the
    test."""
    fork, running = multiprocessing.get_context("fork"), []

    def start(function, *arguments):
        running.append(fork.Process(target=_alone, args=(function, *arguments)))
        running[-1].start()
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.join()


def _alone(function, *arguments):
    """What `function` does in a program of its own: a signal ends it as it ends any."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        function(*arguments)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
