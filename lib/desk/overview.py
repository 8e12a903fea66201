"""The overview: what is resolved, what validators pass, a cautious ranking, agreement, history; and its page.

    told = overview()                    # of the store, kept for a minute
    summary(community, validator)        # the same of any community's tables

Everything is computed by `uq.community` from the tables of the store, so a
notebook finds the same numbers in an export. A review counts here exactly as it does for a question's state. The page
has tables, and two pictures drawn on the server as SVG, in the colours of the text.
"""

import time
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe
from proctor.uq import community
from proctor.uq.community import PEOPLE, RULE, Community

from desk.tables import all_tables

SECONDS = 60  # for which an overview is kept at least
RESAMPLES = 300
STEPS = 12  # points of the history
COMPUTING = Lock()  # readers who come at once wait for one computation; each would slow all others down


def summary(of: Community, validator: str = "") -> dict[str, Any] | None:
    """The overview of a community; None where nobody has answered yet. validator: "" is the one with most verdicts.

    at: when it was made; validators: whose verdicts there are, the one with most of them first; screen: the chosen one;
    statistics, pass_rates, ranking, agreement, history: tables as their functions in `uq` give them.
    """
    if not len(of.answers):
        return None
    names = tuple(of.verdicts["validator"].value_counts().index)
    screen = validator if validator in names else (names[0] if names else "")
    return dict(
        at=pd.Timestamp(timezone.now()),
        validators=names,
        screen=screen,
        statistics=community.statistics(of, screen, RULE),
        pass_rates=community.pass_rates(of),
        ranking=community.ranking(*community.scores(of, screen, RULE)),
        agreement=community.reviewer_agreement(of, np.random.default_rng(0), RESAMPLES),
        history=community.history(of, RULE, STEPS),
    )


def overview(validator: str = "") -> dict[str, Any] | None:
    """The store's overview; kept for a minute, or where it took long for fifty times as long."""
    key = f"overview-{sha256(validator.encode()).hexdigest()}"
    if (found := cache.get(key)) is None:
        with COMPUTING:
            if (found := cache.get(key)) is None:
                start = time.monotonic()
                found = (summary(Community(**all_tables()), validator),)
                cache.set(key, found, max(SECONDS, 50 * (time.monotonic() - start)))
    return found[0]


# Its page

LEFT, WIDTH, ROW = 150, 640, 28  # of the pictures: room for names, whole width, height of a row
PLOT = WIDTH - LEFT - 20
HIGH = 160  # of the history


def ranking_marks(ranking: pd.DataFrame) -> tuple[list[dict], list[tuple[float, str]], int]:
    """(rows, ticks with their labels, height) of the picture, in its units.

    A row: name, y, share (verified), share_most (with all unsettled right), low, high.
    """
    top = max(float(ranking["high"].max()), 0.01)
    step = next(step for step in (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if top / step <= 6)
    scale = PLOT / top
    shares = (LEFT + ranking[["share", "share_most", "low", "high"]] * scale).round(1)
    marks = shares.assign(name=ranking["system"], y=ROW * np.arange(len(ranking)) + 20).to_dict("records")
    ticks = [(round(LEFT + value * scale, 1), f"{100 * value:g} %") for value in np.arange(0, top + 1e-9, step)]
    return marks, ticks, ROW * len(ranking) + 40


def history_points(history: pd.DataFrame) -> dict[str, Any]:
    """Points of the line of resolved questions, its last value, the first and last day."""
    most = max(int(history["resolved"].max()), 1)
    start, end = history["at"].iloc[0], history["at"].iloc[-1]
    whole = max((end - start).total_seconds(), 1.0)
    points = [
        (40 + (WIDTH - 60) * (row.at - start).total_seconds() / whole, HIGH - 30 - (HIGH - 50) * row.resolved / most)
        for row in history[["at", "resolved"]].itertuples()
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return dict(line=line, most=most, start=start, end=end, last=int(history["resolved"].iloc[-1]))


def percent(share: float) -> str:
    """A share as a page shows it; a dash where there is none.

    >>> percent(0.125), percent(float("nan"))
    ('12.5 %', '–')
    """
    return "–" if pd.isna(share) else f"{100 * share:.1f} %"


def rows_of(table: pd.DataFrame, columns: str) -> list[list[Any]]:
    """The table's rows; a column `share` as percent, `low..high` as the range of these two columns."""
    return [[_cell(row, column) for column in columns.split()] for row in table.to_dict("records")]


def _cell(row: dict, column: str) -> Any:
    if ".." in column:
        low, high = (100 * row[end] for end in column.split(".."))
        return "–" if pd.isna(low + high) else f"{low:.1f} to {high:.1f} %"
    value = row[column]
    if column.startswith("share"):
        return percent(value)
    return value if not isinstance(value, float) else "" if np.isnan(value) else f"{value:g}"


def _agreement(table: pd.DataFrame) -> list[list[Any]]:
    return [
        [row.reviewers, row.answers, percent(row.agreement), "–" if pd.isna(row.alpha) else f"{row.alpha:.2f}",
         "–" if pd.isna(row.low) else f"{row.low:.2f} to {row.high:.2f}"]
        for row in table.itertuples()
    ]  # fmt: skip


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    found = overview(request.GET.get("validator", ""))
    if found is None:
        return render(request, "desk/overview.html", dict(found=None))
    ranking, history = found["ranking"].replace({"system": {PEOPLE: "People"}}), found["history"]
    marks, ticks, height = ranking_marks(ranking)
    told = dict(
        found=found,
        rule=RULE,
        statistics=rows_of(found["statistics"], "measure count of share low..high"),
        pass_rates=rows_of(found["pass_rates"], "system validator passed of share low..high unreadable"),
        ranking=rows_of(ranking, "rank system right unsettled of share share_most low..high rank_low rank_high"),
        agreement=_agreement(found["agreement"]),
        marks=marks,
        ticks=ticks,
        height=height,
        foot=height - 18,
        history=history_points(history),
        history_rows=rows_of(
            history.assign(at=history["at"].dt.strftime("%Y-%m-%d")), "at reviews right disputed open wrong resolved"
        ),
        left=LEFT,
        width=WIDTH,
        high=HIGH,
    )
    return render(request, "desk/overview.html", told)
