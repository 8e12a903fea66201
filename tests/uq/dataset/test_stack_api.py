"""The API reader against a made-up API: paging, backoff, quota, faults, resuming, the key."""

from functools import partial
from types import SimpleNamespace

import httpx
import pandas as pd
import pytest
from proctor.data.tabular import DataError
from proctor.uq.dataset import stack_api
from proctor.uq.dataset.stack_api import CrawlError, crawl

SECRET = "PROCTORFAKE-51c2e07b9a"


def question(number: int, created: int) -> dict:
    return dict(
        question_id=number, title=f"a &lt; {number}", body="<p>b</p>", tags=["sets"], score=3, view_count=9, answer_count=0,
        creation_date=created, last_activity_date=created, owner=dict(user_id=4, display_name="x &amp; y"),
    )  # fmt: skip


@pytest.fixture
def api(monkeypatch):
    """`api.questions`: what the server lists; `api.replies`: replies to give first, as (status, object); `api.asked`."""
    monkeypatch.setattr(stack_api, "PAUSE", 0.001)
    monkeypatch.setenv(stack_api.KEY, SECRET)
    server = SimpleNamespace(questions=[], replies=[], asked=[], waited=[])
    monkeypatch.setattr(stack_api.time, "sleep", server.waited.append)

    def page(asked):
        size, number = int(asked["pagesize"]), int(asked["page"])
        listed = [q for q in server.questions if q["creation_date"] >= int(asked["min"])]
        start = size * (number - 1)
        return dict(items=listed[start : start + size], has_more=len(listed) > start + size, quota_remaining=9)

    def reply(request):
        asked = dict(request.url.params)
        server.asked.append(asked)
        status, said = server.replies.pop(0) if server.replies else (200, page(asked))
        if isinstance(said, bytes):
            return httpx.Response(status, content=said)
        if said.get("items") is ...:
            said = page(asked) | {name: value for name, value in said.items() if name != "items"}
        return httpx.Response(status, json=said)

    client = partial(httpx.Client, transport=httpx.MockTransport(reply))
    monkeypatch.setattr(stack_api.httpx, "Client", client)
    return server


def ids(pool) -> list[int]:
    return pd.read_parquet(pool / "questions")["question_id"].tolist()


def get(api, pool):
    return crawl("coffee", pool)


def test_all_pages_come_once_and_in_order_and_a_second_may_fill_more_than_a_page(api, tmp_path):
    api.questions = [question(k, 1_400_000_000 + (k // 3 if k < 130 else 43)) for k in range(250)]
    assert get(api, tmp_path) == ("coffee", 250, 0, 0, 0) and ids(tmp_path) == list(range(250))
    row = pd.read_parquet(tmp_path / "questions").iloc[7]
    assert (row["title"], row["owner_name"]) == ("a < 7", "x & y")
    assert row["created"] == pd.Timestamp(1_400_000_002, unit="s")
    assert {asked["key"] for asked in api.asked} == {SECRET}
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_questions_that_leave_the_list_meanwhile_hide_no_other(api, tmp_path, monkeypatch):
    api.questions = [question(k, 1_400_000_000 + k) for k in range(300)]
    wait = stack_api._wait

    def answered(reply, saved):
        api.questions = api.questions[50:]  # fifty of the first page are answered
        wait(reply, saved)

    monkeypatch.setattr(stack_api, "_wait", answered)
    assert get(api, tmp_path).questions == 300


def test_a_backoff_is_waited_and_after_a_spent_quota_the_next_run_goes_on(api, tmp_path):
    api.questions = [question(k, 1_400_000_000 + k) for k in range(350)]
    api.replies = [(200, {"items": ..., "backoff": 17}), (200, {"items": ..., "quota_remaining": 0})]
    with pytest.raises(CrawlError, match="quota .* spent after 2 pages"):
        get(api, tmp_path)
    assert 17 in api.waited and len(api.asked) == 2 and not (tmp_path / "questions").exists()
    assert get(api, tmp_path).questions == 350
    assert len(api.asked) == 4  # a page begins with the last question of the one before
    assert get(api, tmp_path).questions == 350 and len(api.asked) == 4  # all is there: nothing is asked
    page = tmp_path / "crawl/coffee/questions-unanswered/000001.json"
    page.write_text("{")
    with pytest.raises(DataError, match="000001.json"):
        get(api, tmp_path)


def refused(name: str) -> tuple[int, dict]:
    return 400, dict(error_id=400, error_name=name, error_message=f"key {SECRET}")


@pytest.mark.parametrize(
    "replies, told, asked",
    [
        ([(503, b"busy"), (200, b"{"), (500, dict(error_id=500)), (200, {"items": 1})], "", 5),
        ([(500, b"no")] * 9, "no page after 5 attempts", 5),
        ([(200, {})] * 9, "no page after 5 attempts", 5),
        ([(200, {"items": [{"creation_date": "x"}], "has_more": False})] * 9, "no page after 5 attempts", 5),
        ([refused("bad_parameter")], "bad_parameter", 1),
        ([refused("throttle_violation")], "quota is spent", 1),
    ],
)
def test_faults_are_tried_again_and_refusals_not_and_no_message_has_the_key(api, tmp_path, replies, told, asked):
    api.questions, api.replies = [question(1, 1_400_000_000)], [*replies]
    if told:
        with pytest.raises(CrawlError, match=told) as error:
            get(api, tmp_path)
        assert SECRET not in str(error.value)
    else:
        assert get(api, tmp_path).questions == 1
    assert len(api.asked) == asked


def test_a_bad_item_is_listed_and_the_others_are_kept(api, tmp_path):
    wrong = (
        (dict(score="x"), "Score: it should be a valid integer"),
        (dict(tags=3), "another form"),
        (dict(body=None), "Body: Field required"),
        (dict(title=5), "another form"),
    )
    api.questions = [
        question(k, 1_400_000_000 + k) | change for k, (change, _) in enumerate([({}, ""), *wrong, ({}, "")])
    ]
    assert get(api, tmp_path).rejected == 4 and ids(tmp_path) == [0, 5]
    listed = (tmp_path / "rejected/site=coffee.csv").read_text().splitlines()[1:]
    assert all(reason in line for line, (_, reason) in zip(listed, wrong, strict=True))
