import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from proctor.models.messages import Reply, Request

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
BASE = Request(model="m", messages=({"role": "user", "content": "hello"},), prompt="p@1", prefix=0)


def test_key_changes_with_each_field_that_matters_and_not_with_prefix():
    other = dict(
        model="n",
        messages=({"role": "user", "content": "hullo"},),
        sample=1,
        prompt="p@2",
        temperature=0.7,
        max_tokens=1,
        logprobs=1,
        grammar="root ::= x",
        schema={"type": "object"},
        seeds="request",
        server="http://a/v1",
        effort="high",
        thinking=True,
    )
    assert set(other) | {"prefix", "timeout", "quoted"} == set(Request.__dataclass_fields__)
    keys = {replace(BASE, **{name: value}).key for name, value in other.items()} | {BASE.key}
    assert len(keys) == len(other) + 1
    assert replace(BASE, prefix=1, quoted="hello").key == BASE.key


@given(
    st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), TEXT), min_size=1, max_size=4),
    st.integers(0, 99),
    st.dictionaries(TEXT, st.integers(), max_size=3),
)
def test_key_is_deterministic_and_free_of_the_order_of_names(messages, sample, schema):
    one = Request("m", tuple({"role": r, "content": c} for r, c in messages), sample=sample, schema=schema)
    two = Request(
        "m", tuple({"content": c, "role": r} for r, c in messages), sample=sample, schema=dict(reversed(schema.items()))
    )
    assert one.key == two.key and len(one.key) == 64
    assert one.key != replace(one, messages=one.messages * 2).key


def test_key_of_a_known_request_stays_what_it_is():
    """Recordings are found by it: a change here makes every recorded reply unfindable."""
    assert BASE.key == "11e456fb155a25cc0757a2b72f62d8daa5280b2dd4fc23345f5c2690ff063d2f"


@given(
    TEXT,
    st.lists(st.tuples(TEXT, st.floats(-99, 0)), max_size=4),
    st.dictionaries(TEXT, st.floats(-99, 0), max_size=3),
    st.integers(0, 9),
    st.sampled_from(["stop", "length"]),
)
def test_reply_comes_back_from_json_as_it_was(text, tokens, first, count, finish):
    reply = Reply(text, finish, count, count, tuple(tokens), first, source="live")
    assert Reply.from_json(reply.to_json(), "live") == reply
    assert "source" not in json.loads(reply.to_json()) and "\n" not in reply.to_json()


def test_half_a_surrogate_pair_can_be_written():
    line = Reply("x\ud83d", tokens=(("\ud83d", -1.0),)).to_json()
    assert Reply.from_json(line.encode(), "cache").text == "x?"


def test_the_address_of_a_server_is_part_of_the_key_and_the_providers_own_is_not():
    one, two = (Request("m", (), server=server) for server in ("http://a/v1", "http://b/v1"))
    assert one.key != two.key != Request("m", ()).key
    assert (
        Request("m", ()).key == "26ff30c395b9969e09088a01d1a97290fbc239910025c8b5d81770afaf4f0f07"
    )  # as it was before servers were named


def test_the_opening_is_the_beginning_that_a_request_gives_its_reply():
    asked = {"role": "user", "content": "Right?"}
    assert Request("m", (asked, {"role": "assistant", "content": "Accepted: [["})).opening == "Accepted: [["
    assert Request("m", (asked,)).opening == "" == Request("m", ()).opening


def test_seeds_are_the_samples_own_or_the_requests(ask):
    """Without `seeds: request` sample k has one seed for all requests; with it every request and sample has its own."""
    assert [ask(text, sample=3).seed for text in ("a", "b")] == [3, 3]
    found = {ask(text, sample=k, seeds="request").seed for text in ("a", "b") for k in (1, 2)}
    assert len(found) == 4 and all(0 <= seed < 2**31 for seed in found)
    assert ask("a", sample=3).key == ask("a", sample=3, seeds="sample").key != ask("a", sample=3, seeds="request").key
