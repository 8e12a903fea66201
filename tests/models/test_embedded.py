"""The served model itself: few tests, since each starts servers."""

import asyncio
import multiprocessing
import signal
import time

import psutil
import pytest
from proctor.models import embedded, providers
from proctor.models.embedded import Embedded, EmbeddedError, try_turn
from proctor.models.endings import CallError
from proctor.models.messages import Request
from proctor.models.registry import Spec
from proctor.paths import CACHE

WEIGHTS = CACHE / "fetched" / "SmolLM2-135M-Instruct.Q4_1.gguf"
fetched = pytest.mark.skipif(not WEIGHTS.is_file(), reason=f"{WEIGHTS.name} is not fetched: run `make setup`")


@pytest.fixture(autouse=True)
def own_turn(monkeypatch, tmp_path):
    """No other test or notebook is waited for."""
    monkeypatch.setattr(embedded, "CACHE", tmp_path)


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@fetched
def test_a_server_ends_with_the_process_that_asked_even_if_that_is_killed_and_so_does_its_turn(forked):
    told = multiprocessing.get_context("fork").Queue()

    def client():
        server = Embedded(WEIGHTS)
        server.start()
        turn = try_turn()
        told.put((server._child.pid, turn is not None))
        signal.pause()

    asker = forked(client)
    pid, has_turn = told.get(timeout=240)
    assert has_turn and try_turn() is None and psutil.pid_exists(pid)
    asker.kill()
    asker.join()  # its turn ends with it, perhaps after its server's input
    assert gone_within(pid, 60)
    with try_turn():
        assert try_turn() is None


@fetched
def test_a_reply_is_the_same_whatever_was_asked_before_also_of_a_new_server(monkeypatch):
    monkeypatch.setattr(providers, "weights_file", lambda model: WEIGHTS)
    sums = (("system", "Add the numbers."), ("user", "1 + 1"), ("assistant", "2"))
    requests = []
    for prefix in (sums, (("system", "Name the colour of the thing, in one word."),)):
        for text, sample in (("2 + 5", 1), ("snow and coal", 0)):
            messages = tuple({"role": role, "content": said} for role, said in (*prefix, ("user", text)))
            how = dict(prefix=len(prefix), max_tokens=6, logprobs=3, sample=sample, temperature=0.8 * sample)
            requests.append(Request("here", messages, **how))
    order = [3, 0, 2, 1]

    async def main():
        served, other = (providers.Served(Spec(name, "gguf", file=str(WEIGHTS)), 120) for name in ("here", "there"))
        try:
            plain = [await served.send(request) for request in requests]
            shuffled = {n: await served.send(requests[n]) for n in order}
            assert await other.send(requests[0]) == plain[0] and served._server._child is None  # one server at a time
            other._server._child.send_signal(signal.SIGSTOP)
            other.timeout, hung = 0.5, other._server._child.pid
            with pytest.raises(CallError, match="no reply in time"):
                await other.send(requests[1])
            assert gone_within(hung, 60)
            other.timeout = 120
            assert await other.send(requests[1]) == plain[1]
        finally:
            await served.close()
            await other.close()
        return plain, [shuffled[n] for n in range(len(requests))]

    plain, shuffled = asyncio.run(main())
    assert plain == shuffled
    assert all(reply.tokens and len(reply.first) >= 3 for reply in plain) and len({reply.text for reply in plain}) > 2


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(EmbeddedError, match="no.gguf.*make setup"):
        Embedded(tmp_path / "no.gguf").start()


def test_a_file_that_is_no_model_is_told_with_what_the_server_said(tmp_path):
    (tmp_path / "w.gguf").write_bytes(b"no model")
    with pytest.raises(EmbeddedError, match="w.gguf ended before it answered: .*[a-z]"):
        Embedded(tmp_path / "w.gguf").start()
