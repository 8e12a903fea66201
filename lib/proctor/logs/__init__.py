"""Logs: public per-item records of other people's runs, re-analysed. Evidence `logged`.

    from proctor import logs
    if logs.available("swe_bench_verified"):
        solved = logs.outcomes("swe_bench_verified")     # item x system, 1 right, 0 wrong

`make logs` fetches and imports them; `$PROCTOR_LOGS` names a folder that holds them already.
"""

from proctor.log_files import LogsMissing, available
from proctor.logs.tidy import judge_scores, outcomes, table, trials, twins

__all__ = ["LogsMissing", "available", "judge_scores", "outcomes", "table", "trials", "twins"]
