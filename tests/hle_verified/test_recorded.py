import asyncio

import pandas as pd
from proctor.hle_verified import recorded


def test_only_the_largest_model_adjudicates(monkeypatch):
    asked = []

    async def adjudications(session, models, answering):
        asked.append((models, answering))
        return pd.DataFrame()

    monkeypatch.setattr(recorded.stages, "adjudications", adjudications)
    asyncio.run(recorded.adjudications(None, models=["a", "b"], answering=["a", "b"]))
    asyncio.run(recorded.adjudications(None, models=["a"], answering=["a", "b"]))
    assert asked == [(["b"], ["a", "b"]), ([], ["a", "b"])]
