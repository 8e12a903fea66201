"""The overview: what is resolved, what validators pass, a cautious ranking, agreement, history. Numbers, no pages.

    told = overview()                    # of the store, kept for a minute
    summary(community, validator)        # the same of any community's tables

Everything is computed by `uq.resolution`, `uq.resolution` and `uq.reviewers` from the tables of the store, so a
notebook finds the same numbers in an export. A review counts here exactly as it does for a question's state.
"""

import time
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
from django.core.cache import cache
from django.utils import timezone
from proctor.uq import resolution, reviewers
from proctor.uq.community import Community, checked

from desk import tables

RULE = resolution.RULE
SECONDS = 60  # for which an overview is kept at least
RESAMPLES = 300
STEPS = 12  # points of the history
COMPUTING = Lock()  # readers who come at once wait for one computation; each would slow all others down


def community() -> Community:
    """The store as `uq` reads it."""
    return checked(tables.all_tables())


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
        statistics=resolution.statistics(of, screen, RULE),
        pass_rates=resolution.pass_rates(of),
        ranking=resolution.ranking(*resolution.scores(of, screen, RULE)),
        agreement=reviewers.reviewer_agreement(of, np.random.default_rng(0), RESAMPLES),
        history=resolution.history(of, RULE, STEPS),
    )


def overview(validator: str = "") -> dict[str, Any] | None:
    """The store's overview; kept for a minute, or where it took long for fifty times as long."""
    key = f"overview-{sha256(validator.encode()).hexdigest()}"
    if (found := cache.get(key)) is None:
        with COMPUTING:
            if (found := cache.get(key)) is None:
                start = time.monotonic()
                found = (summary(community(), validator),)
                cache.set(key, found, max(SECONDS, 50 * (time.monotonic() - start)))
    return found[0]
