"""What must be known of logs before they count as evidence: partial passes, twins, double items, judges' families."""

import pandas as pd

PARTIAL_PASS = "openai_gpt-5_azure"  # its judged rows are those of a first, easier part


def without_partial_pass(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs of HLE without the judgements of the run of which only a biased part was judged."""
    columns = [column for column in ("judge_correct", "judge_confidence") if column in runs]
    blank = {column: runs[column].mask(runs["run"] == PARTIAL_PASS, "") for column in columns}
    return runs.assign(**blank)
