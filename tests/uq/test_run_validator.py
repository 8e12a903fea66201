"""Validators run against a local server: verdicts, early exit, conversations, faults, resumption, files."""

import asyncio
import importlib.util
import json
import re
import sqlite3

import httpx
import pytest
from faulty_server import Server
from proctor.data.schemas import Answer, Question
from proctor.exam import recorded as exam_recorded
from proctor.files import FileBusy, only_writer
from proctor.models.cache import Cache, StoreError
from proctor.models.endings import CallsFailed
from proctor.models.final_line import without_marks
from proctor.models.prompts import load
from proctor.models.session import Session
from proctor.models.settings import Settings
from proctor.models.spending import Budget, BudgetError
from proctor.models.studies import export, import_replies, rehearsed, study, to_ask
from proctor.paths import ROOT
from proctor.uq import run_validator
from proctor.uq.run_validator import Run, validate

QUESTIONS = [Question(id=f"q{i}", question=f"What is {i} + {i}?", answer=str(2 * i)) for i in range(8)]
ANSWERS = [Answer(id=f"a{i}", question_id=f"q{i}", text=f"The sum is {2 * i}.", correct=True) for i in range(8)]
PIPELINE = "(CC u3|U) => (FLC u3|U) => (C u3|U)"


def run(session, validator, judges=("open",), answers=ANSWERS, out=None, **how):
    async def go():
        async with session:
            return await validate(session, Run(validator, list(judges), **how), QUESTIONS, answers, out=out)

    return asyncio.run(go())


def traces(path):
    return {line["answer_id"]: line["trace"] for line in map(json.loads, path.read_text().splitlines())}


def test_reconsidering_goes_on_in_the_same_conversation(serving, session):
    server = serving(verdicts=1.0)
    run(session(), "C u3|U", answers=ANSWERS[:1])
    first, second, third = (body["messages"] for body in server.bodies)
    reflect = load("uq/reflect").in_style("free").messages[0][1]
    assert second[: len(first)] == first and third[: len(second)] == second
    assert [message["role"] for message in third[len(first) :]] == ["assistant", "user"] * 2
    assert second[-1]["content"] == reflect and second[-2]["content"] == "Accepted: [[Y]]"


def test_answers_without_a_verdict_are_named_and_the_others_kept(serving, session, quick):
    server = serving(verdicts=0.8)
    refused = load("uq/correctness").request("open", question=QUESTIONS[3].question, answer=ANSWERS[3].text)
    server.faults[refused.messages[-1]["content"]] = ["400"]
    talker = session()
    with pytest.raises(CallsFailed, match="1 of 8 answers have no verdict .*a3") as error:
        run(talker, "C")
    assert list(error.value.errors) == ["a3"]
    asked = server.arrived
    assert len(run(talker, "C")) == 8 and server.arrived == asked + 1  # only the missing one is asked again


def test_a_run_that_stops_at_its_budget_resumes_to_the_same_file(serving, session, tmp_path):
    server = serving(verdicts=0.7)
    with pytest.raises(BudgetError):
        run(session(budget=Budget(calls=12)), PIPELINE, out=tmp_path / "v.jsonl")
    assert not (tmp_path / "v.jsonl").exists() and server.arrived == 12
    again = run(session(), PIPELINE, out=tmp_path / "v.jsonl")
    assert server.arrived == again["calls"].sum()  # no call was repeated
    assert (
        run(session(), PIPELINE, out=tmp_path / "again.jsonl").equals(again) and server.arrived == again["calls"].sum()
    )
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "v.jsonl").read_text()
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    "validator, judges, how, message",
    [
        ("C |M", [], {}, "give a list of one or more models"),
        ("C@claude => V", [], {}, "give a list of one or more models"),
        ("C |M", ["open", "claude", "open"], {}, "judge open is named twice"),
        ("Debate", ["open"], {}, "a debate needs two judges or more"),
        ("C@nobody", ["open"], {}, "no model 'nobody'"),
        ("C", ["open"], dict(settings=Settings(prompts_dir="/no/folder")), "prompts_dir /no/folder is no folder"),
        ("C", ["open", "claude"], {}, "does not say how they vote"),
        ("C x3|M", ["open"], dict(temperature=0.0), "at temperature 0 every reply is the same"),
        ("C", ["open"], dict(answers=[*ANSWERS, ANSWERS[0]]), "answer a0 is there 2 times"),
        ("C", ["open"], dict(answers=[Answer(id="e", question_id="q1", text=" ")]), "answer e is empty"),
        (
            "C",
            ["open"],
            dict(answers=[Answer(id="e", question_id="q99", text="4")]),
            "question q99, which is not among",
        ),
    ],
)
def test_bad_input_is_told_before_any_call(serving, session, validator, judges, how, message):
    server = serving()
    with pytest.raises((ValueError, KeyError), match=message):
        run(session(), validator, judges, **how)
    assert server.arrived == 0


def test_a_check_that_is_asked_anew_is_drawn_at_a_temperature(tmp_path):
    async def ask(validator, of_settings, given):
        how = dict(cache=tmp_path / "none.sqlite", recorded=None, settings=Settings(temperature=of_settings))
        study = Run(validator, ["smollm2-135m"], given)
        return await to_ask(Session("replay", **how), lambda one: validate(one, study, QUESTIONS, ANSWERS))

    for *run, drawn_at in (
        ("C", None, None, 0),
        ("C x3|M", None, None, 1),
        ("C x3|M", 0.3, 0.6, 0.3),
        ("C", None, 0.6, 0.6),
    ):
        asked = asyncio.run(ask(*run))
        assert asked and {request.temperature for request in asked} == {drawn_at}


@pytest.mark.parametrize(
    ("validator", "depth"), [("C", 1), ("(C x3|U)", 3), ("(C x3|M)", 2), ("(C u2|U)", 2), ("CC => FLC => C", 4)]
)
def test_an_export_holds_the_next_call_of_every_answer(validator, depth, session, tmp_path):
    requests, replies = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    with Server(answer=lambda text: "Which sum?" if text.startswith("The sum is") else "Accepted: [[Y]]") as server:
        judge = f"openai/m@{server.url}/v1"
        talker = session("replay")

        def study(one):
            return validate(one, Run(validator, [judge]), QUESTIONS, ANSWERS)

        for _ in range(depth):
            assert asyncio.run(export(talker, study, requests)) == len(ANSWERS)
            lines = []
            for line in map(json.loads, requests.read_text().splitlines()):
                body = httpx.post(f"{server.url}/v1/chat/completions", json=line["body"]).json()
                lines.append({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}})
            replies.write_text("\n".join(map(json.dumps, lines)))
            assert import_replies([replies], requests, talker.cache).complete
        assert asyncio.run(export(talker, study, requests)) == 0
    assert asyncio.run(study(talker))["outcome"].eq("accept").all()


@pytest.mark.parametrize(
    "text", ["C@open => Debate", "[C@open, FLC@claude] |M => Debate", "Debate x2|M", "Debate => C |M"]
)
def test_a_debater_reads_what_the_others_said_in_this_debate_s_round_before(serving, session, tmp_path, text):
    server, judges = serving(verdicts=0.5), ["open", "claude", "unpriced"]
    how = dict(answers=ANSWERS[:3], temperature=0.5, exhaustive=True, out=tmp_path / "v.jsonl")
    run(session(), text, judges, **how)
    asked = [body["messages"][-1]["content"] for body in server.bodies]
    last = [text for text in asked if "Judge 1:" in text]
    debates = [vote for trace in traces(tmp_path / "v.jsonl").values() for vote in trace if vote["check"] == "Debate"]
    first = [text for text in asked if "none has spoken yet" in text]
    assert min(len(first), len(last)) >= len(debates) / 2  # a call that is late is asked again
    assert all("Judge 2:" in text and "Judge 3:" not in text for text in last)
    assert not any("[[" in text.partition("The other judges:")[2] for text in last)  # no mark that a reply could repeat
    for question, answer, trace in zip(QUESTIONS, ANSWERS, traces(tmp_path / "v.jsonl").values()):
        said = {(v["judge"], v["sample"]): v["reply"] for v in trace if v["check"] == "Debate" and v["turn"] == 0}
        for vote in (v for v in trace if v["check"] == "Debate" and v["turn"] == 1):
            others = [said[judge, vote["sample"]] for judge in judges if judge != vote["judge"]]
            shown = "\n\n".join(f"Judge {i}: {without_marks(text)}" for i, text in enumerate(others, 1))
            request = load("uq/debate").request("open", question=question.question, answer=answer.text, others=shown)
            assert request.messages[-1]["content"] in last


def test_each_stage_has_the_judge_that_it_names(serving, session, tmp_path):
    serving(verdicts=1.0)
    found = run(session(), "C@open => [FLC@claude, V@unpriced] |U", [], out=tmp_path / "v.jsonl")
    assert {tuple((v["check"], v["judge"]) for v in trace) for trace in traces(tmp_path / "v.jsonl").values()} == {
        (("C", "open"), ("FLC", "claude"), ("V", "unpriced"))
    }
    assert set(found["judges"]) == {"open; claude; unpriced"} and set(found["outcome"]) == {"accept"}


def test_a_vote_that_two_parts_share_is_cast_and_paid_once(serving, session):
    server = serving(verdicts=1.0)
    found = run(session(), "[C, C => V, CC, CC] |U", exhaustive=True)
    assert set(found["votes"]) == {3} and set(found["calls"]) == {4} and server.arrived == 4 * len(ANSWERS)


def test_a_threshold_reads_the_probability(serving, session, tmp_path):
    serving(verdicts=1.0)  # each with log-probability -0.25 for its whole text
    low, high = (run(session(), f"C>{p}", out=tmp_path / f"{p}.jsonl") for p in (0.7, 0.9))
    assert set(low["outcome"]) == {"accept"} and set(high["outcome"]) == {"reject"}
    assert {vote["above"] for trace in traces(tmp_path / "0.7.jsonl").values() for vote in trace} == {0.7}
    none = run(session(), "C>0.5", ["claude"], out=tmp_path / "none.jsonl")  # this interface gives no probability
    assert set(none["outcome"]) == {"unreadable"}
    assert {vote["why"] for trace in traces(tmp_path / "none.jsonl").values() for vote in trace} == {"no probability"}


def test_programs_are_stages_that_ask_nobody(serving, session, tmp_path):
    server = serving(verdicts=1.0)
    questions = [question.model_copy(update={"extra": {"unit": "m"}}) for question in QUESTIONS[:2]]
    answers = [Answer(id="m", question_id="q0", text="4 m"), Answer(id="s", question_id="q1", text="4 s")]

    async def go():
        async with session() as talker:
            asked = Run("units => (C x3|U)", ["open"], 0.5), questions, answers
            plan = (await rehearsed(talker, study(validate, *asked))).plan_so_far
            return await validate(talker, *asked, out=tmp_path / "v.jsonl"), plan.to_ask

    found, planned = asyncio.run(go())
    assert list(found["outcome"]) == ["accept", "reject"] and list(found["calls"]) == [3, 0] and server.arrived == 3
    assert traces(tmp_path / "v.jsonl")["s"][0]["reply"] == "'4 s' has not the dimension of m" and planned == 3


@pytest.mark.parametrize("check", ["CC", "B"])
@pytest.mark.parametrize("fault, why", [("", "first call empty"), ("cut", "first call cut off")])
def test_a_first_call_that_says_nothing_is_unreadable(serving, session, tmp_path, monkeypatch, check, fault, why):
    server = serving(verdicts=1.0)
    reply = dict(server._reply("x", "/v1/chat/completions"))
    reply["choices"] = [{**reply["choices"][0], "finish_reason": "length" if fault else "stop"}]
    reply["choices"][0]["message"] = {"role": "assistant", "content": "I was about" if fault else " "}
    monkeypatch.setattr(server, "_reply", lambda said, path: reply)
    found = run(session(), f"{check} u2|U", exhaustive=True, out=tmp_path / "v.jsonl")
    assert set(found["outcome"]) == {"reject"} and set(found["calls"]) == {1} and set(found["unreadable"]) == {2}
    for trace in traces(tmp_path / "v.jsonl").values():
        assert [vote["why"] for vote in trace] == [why, "nothing to reconsider"]
        assert trace[0]["first"]["reply"] == ("I was about" if fault else " ")


def test_a_trace_says_why_a_vote_is_unreadable(serving, session, tmp_path):
    serving()  # it states no verdict
    run(session(), "FLC", out=tmp_path / "v.jsonl")
    assert {vote["why"] for trace in traces(tmp_path / "v.jsonl").values() for vote in trace} == {"no verdict"}


# a full disk, Ctrl-C, two runs: what is in flight comes home


def fill_the_cache(monkeypatch, rows):
    """The disk takes so many more replies; calling what is returned frees it."""
    write, left = Cache._write, iter(range(rows))

    def full(cache, row):
        if next(left, None) is None:
            raise sqlite3.OperationalError("database or disk is full")
        write(cache, row)

    monkeypatch.setattr(Cache, "_write", full)
    return lambda: monkeypatch.setattr(Cache, "_write", write)


def test_a_full_disk_names_the_file_and_a_rerun_asks_nothing_again(serving, session, tmp_path, monkeypatch):
    server = serving(verdicts=1.0, latency=0.01)
    monkeypatch.setattr(run_validator, "open", lambda *_, **__: open("/dev/full", "w", buffering=1), raising=False)
    talker = session(concurrency=6)
    with pytest.raises(OSError, match=r"v\.jsonl .*No space left.*nothing is asked again"):
        run(talker, PIPELINE, out=tmp_path / "v.jsonl")
    assert len(talker.cache) == server.arrived and not (tmp_path / "v.jsonl").exists()
    monkeypatch.delattr(run_validator, "open")
    found = run(session(), PIPELINE, out=tmp_path / "v.jsonl")
    assert server.arrived == found["calls"].sum()


@pytest.mark.parametrize("full", [False, True])
def test_ctrl_c_waits_for_the_calls_in_flight_also_on_a_full_disk(serving, session, monkeypatch, full):
    server, talker = serving(verdicts=1.0, hold=0), session(concurrency=6)
    if full:
        fill_the_cache(monkeypatch, 0)

    async def stopped():
        async with talker:
            task = asyncio.create_task(validate(talker, Run(PIPELINE, ["open"]), QUESTIONS, ANSWERS))
            while server.arrived < 6:
                await asyncio.sleep(0.01)
            task.cancel()
            await asyncio.sleep(0)
            server.hold = None
            await task

    with pytest.raises(StoreError if full else asyncio.CancelledError) as error:
        asyncio.run(stopped())
    kept = error.value.replies if full else talker.cache
    assert len(kept) == server.arrived == 6


def test_two_runs_into_one_file_are_told_and_ask_nothing(serving, session, tmp_path):
    server = serving(verdicts=1.0)
    with only_writer(tmp_path / "v.jsonl"), pytest.raises(FileBusy, match="a file of its own"):
        run(session(), "C", out=tmp_path / "v.jsonl")
    assert server.arrived == 0
    (tmp_path / "v.jsonl.77-dead.part").write_text("what a killed run left")
    (tmp_path / ".v.jsonl.lock").write_bytes(b"\0garbage")
    run(session(), "C", out=tmp_path / "v.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir() if "sqlite" not in path.name) == ["v.jsonl"]


@pytest.mark.parametrize("vote", ["U", "M"])
def test_verdicts_on_recorded_replies_are_those_of_the_public_code(vote, tmp_path):
    """There the first whole verdict in capitals counts, none is a rejection, and all stages must accept."""
    checks = ("V", "C", "B")

    def accepts(reply):  # a judge bound to one token only begins its verdict, which that code can't read
        found = re.search(r"\[\[([YN])\]\]", re.sub(r"(\[\[[YN])$", r"\1]]", reply))
        return bool(found) and found[1] == "Y"

    async def replay():
        asked = Run(" => ".join(f"({check} |{vote})" for check in checks), exam_recorded.MODELS, exhaustive=True)
        async with Session("replay", progress=False) as session:
            return await validate(session, asked, *await exam_recorded.model_answers(session), out=tmp_path / "v.jsonl")

    outcomes = asyncio.run(replay())["outcome"]
    assert len(outcomes) == 81
    for outcome, trace in zip(outcomes, traces(tmp_path / "v.jsonl").values(), strict=True):
        stages = [[accepts(cast["reply"]) for cast in trace if cast["check"] == check] for check in checks]
        assert [len(votes) for votes in stages] == [3, 3, 3]
        accepted = all(sum(votes) >= (3 if vote == "U" else 2) for votes in stages)
        assert outcome == ("accept" if accepted else "reject")


def test_random_validators_keep_the_verdict_of_all_votes_and_their_plan():
    """The benchmark, small."""
    spec = importlib.util.spec_from_file_location("random_validators", ROOT / "benchmarks" / "random_validators.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.cases(20, 1)
    assert found["answers"] == 40 and 4 < found["accepted"] < 30 and found["calls early"] > 40
    wrong = ("verdicts that differ", "calls that early exit alone asks", "above the cost's calls")
    assert not any(found[name] for name in (*wrong, "above the plan's calls", "above the plan's dollars"))
