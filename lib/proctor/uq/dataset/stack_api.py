"""Crawl a site's unanswered questions through the Stack Exchange API into a pool (UQ, A.1).

Each page is on disk before the next is asked for, so a crawl that was stopped, by a spent quota or by a key press, goes
on where it was. Pages are found by date (from the newest question seen) and not by number: questions that are answered
meanwhile leave the list, and numbers would skip as many. A key, if there is one, is read from STACK_EXCHANGE_KEY.
"""

import html
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
from tqdm import tqdm

from proctor.data.tabular import DataError
from proctor.files import write_atomic
from proctor.models.endings import scrub
from proctor.uq.dataset.pool import Ingested, Rejected, Row, checked_site, write_site

API = "https://api.stackexchange.com/2.3"
KEY = "STACK_EXCHANGE_KEY"
PAGE = 100
ATTEMPTS, PAUSE = 5, 2.0  # a failed request is tried again after 2, 4, 8, 16 seconds
LONGEST_WAIT = 600  # seconds of `backoff` that are waited; more is left to another day


class CrawlError(RuntimeError):
    """The crawl stopped before its end. What came is kept; the message says how to go on."""


def crawl(site: str, pool: str | Path, base: str = API) -> Ingested:
    """Every question of `site` without an answer that has a vote above zero, into `pool`, in order of creation; goes on
    with the pages that are there.

    Raises CrawlError: quota spent, no answer from the server, or a reply that cannot be read. DataError: a bad site.
    """
    pages = Path(pool) / "crawl" / checked_site(site) / "questions-unanswered"
    key = os.environ.get(KEY, "").strip()
    saved, since, page, more = 0, 0, 1, True
    for reply in _saved(pages):
        since, page = _next(reply["items"], since, page)
        saved, more = saved + 1, reply["has_more"]
    with httpx.Client(timeout=30) as client, tqdm(desc=site, unit=" pages", initial=saved, disable=None) as bar:
        while more:
            asked = dict(site=site, sort="creation", order="asc", filter="withbody")
            asked |= dict(min=since, page=page, pagesize=PAGE)
            reply = _ask(client, f"{base}/questions/unanswered", asked, key)
            saved, more = saved + 1, reply["has_more"]
            write_atomic(pages / f"{saved:06}.json", json.dumps({"items": reply["items"], "has_more": more}))
            bar.update()
            since, page = _next(reply["items"], since, page)
            if more:
                _wait(reply, saved)
    return write_site(pool, site, _rows(pages))


def _next(items: list[dict], since: int, page: int) -> tuple[int, int]:
    """Where to go on: from the newest date; by page number only while a whole page has one date."""
    newest = max((item["creation_date"] for item in items), default=since)
    return (newest, 1) if newest > since else (since, page + 1)


def _saved(pages: Path) -> Iterator[dict]:
    for file in sorted(pages.glob("*.json")):
        try:
            yield _page(json.loads(file.read_bytes()))
        except (OSError, ValueError):
            raise DataError(f"{file}: not a page of a crawl. Remove it and all later ones, then crawl again.") from None


def _page(reply: object) -> dict:
    """A reply that is a page of questions. Raises ValueError for another."""
    items = reply.get("items") if isinstance(reply, dict) else None
    if isinstance(items, list) and isinstance(reply.get("has_more"), bool):
        if all(isinstance(item, dict) and type(item.get("creation_date")) is int for item in items):
            return reply
    raise ValueError("a reply without items and has_more")


def _ask(client: httpx.Client, address: str, asked: dict, key: str) -> dict:
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE * 2 ** (attempt - 1))
        try:
            answer = client.get(address, params=asked | ({"key": key} if key else {}))
            reply = answer.json()
            if not isinstance(reply, dict) or "error_id" not in reply:
                answer.raise_for_status()
                return _page(reply)
        except (httpx.HTTPError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
            continue
        problem = f"{reply.get('error_name')} ({reply['error_id']}): {reply.get('error_message')}"
        if reply.get("error_name") == "throttle_violation":
            raise CrawlError(scrub(f"the quota is spent: {problem}. Run again later: it goes on from here.", key))
        if answer.status_code < 500:
            why = f"the API refuses the request: {problem}. Check the site's name and {KEY}."
            raise CrawlError(scrub(why, key))
    raise CrawlError(scrub(f"no page after {ATTEMPTS} attempts: {problem}. Run again: it goes on from here.", key))


def _wait(reply: dict, saved: int) -> None:
    """Honour `backoff` and the quota before the next page."""
    if reply.get("quota_remaining", 1) == 0:
        raise CrawlError(
            f"the quota of the day is spent after {saved} pages. Run again tomorrow: it goes on from here."
        )
    pause = reply.get("backoff", 0)
    if not isinstance(pause, int | float) or pause > LONGEST_WAIT:
        raise CrawlError(f"the API asks for a pause of {str(pause)[:20]} s. Run again after it: it goes on from here.")
    time.sleep(max(0, pause))


def _rows(pages: Path) -> Iterator[list[Row]]:
    """The rows of each saved page, and its items that are none; a question on two pages counts once."""
    seen: set[int] = set()
    for page, reply in enumerate(_saved(pages)):
        rows: list[Row] = []
        for number, item in enumerate(reply["items"], 1 + page * PAGE):
            try:
                if item["question_id"] not in seen:
                    rows.append((number, as_row(item)))
                    seen.add(item["question_id"])
            except (KeyError, TypeError, AttributeError, OverflowError, OSError):
                rows.append(Rejected(number, str(item.get("question_id", ""))[:20], "a field of another form"))
        yield rows


def as_row(item: dict) -> dict[str, str]:
    """A question of the API as the row that a dump would have, so that one reader checks both.

    >>> as_row({"question_id": 7, "title": "a &lt; b", "tags": ["sets"], "creation_date": 1422389372})["Title"]
    'a < b'
    """
    owner = item.get("owner") or {}
    row = {
        "Id": item.get("question_id"),
        "PostTypeId": 1,
        "Title": html.unescape(item.get("title", "")),
        "Body": item.get("body"),
        "Tags": "".join(f"<{tag}>" for tag in item.get("tags", [])),
        "Score": item.get("score"),
        "ViewCount": item.get("view_count"),
        "AnswerCount": item.get("answer_count"),
        "CommentCount": item.get("comment_count"),
        "AcceptedAnswerId": item.get("accepted_answer_id"),
        "CreationDate": _date(item.get("creation_date")),
        "LastActivityDate": _date(item.get("last_activity_date")),
        "ClosedDate": _date(item.get("closed_date")),
        "OwnerUserId": owner.get("user_id"),
        "OwnerDisplayName": html.unescape(owner.get("display_name", "")) or None,
        "ContentLicense": item.get("content_license"),
    }
    return {name: str(value) for name, value in row.items() if value is not None}


def _date(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()
