"""Which votes point to wrong keys: fits `wrong_keys.CHANCES` on labelled exams and tests each on the others.

    PROCTOR_LOGS=... python benchmarks/wrong_keys.py

MMLU-Redux (`make logs`): 103 of 5,700 keys that experts replaced by other letters. MMLU-Pro (its letters, as the logs
hold them): 4 % of the keys replaced here, by any other letter or by that of a wrong reply. Prints, for each exam, the
share found in 2, 5 and 10 % of the items by our suspicion, by plain votes against the key, and by a logistic fitted on
each other exam; and whether the limits of `expected_found`, made without that exam, hold the truth.
"""

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from proctor.data.schemas import Question
from proctor.exam import wrong_keys

SEED, PLANTED, BUDGETS = 20260101, 0.04, (0.02, 0.05, 0.1)
NAMES = list(wrong_keys.CHANCES)


def ranked(letters: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    """`suspects` of a wide table of letters (items x systems; "": none) under these keys."""
    long = letters.reset_index(names="question_id").melt("question_id", var_name="model", value_name="given")
    keys = {item: Question(id=item, question="-", answer=right) for item, right in key.items()}
    votes = wrong_keys.votes_of(long.assign(reply="", cut_off=False), keys)
    return wrong_keys.suspects(votes).set_index("item")


def exams(folder: Path, rng: np.random.Generator) -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Name -> the ranked items of an exam, and whether each key is wrong."""
    read = dict(keep_default_na=False, dtype=str)
    redux = pd.read_csv(folder / "mmlu_redux/tidy.csv.gz", **read).set_index("item")
    kept = [old in new for old, new in zip(redux["original_key"], redux["repaired_keys"])]
    wrong = (redux["error_type"] != "ok") & (redux["repaired_keys"] != "") & ~np.array(kept)
    found = {NAMES[0]: (ranked(redux.iloc[:, 4:], redux["original_key"]), wrong)}
    pro = pd.read_csv(folder / "mmlu_pro/letters.csv.gz", **read).set_index("item")
    common = pd.read_csv(folder / "mmlu_pro/tidy.csv.gz", **read).set_index("item")["common"] == "1"
    pro = pro[common.reindex(pro.index) & (pro["keys"].str.len() == 1)]
    letters = pro.drop(columns="keys").replace("-", "")
    for name in NAMES[1:]:
        key, wrong = pro["keys"].copy(), pd.Series(rng.random(len(pro)) < PLANTED, pro.index)
        for item in wrong.index[wrong]:
            given = [one for one in letters.loc[item] if one not in ("", key[item])]
            others = given if name == NAMES[2] and given else sorted(set("ABCDEFGHIJ") - {key[item]})
            key[item] = rng.choice(others)
        found[name] = ranked(letters, key), wrong
    return found


def main() -> int:
    folder = Path(os.environ.get("PROCTOR_LOGS", "build/logs"))
    if not (folder / "mmlu_pro/letters.csv.gz").is_file():
        print(f"{folder}: no letters of MMLU-Pro there. Set PROCTOR_LOGS.")
        return 1
    labelled = exams(folder, np.random.default_rng(SEED))
    signals = {name: sm.add_constant(table[["other_share", "key_share"]]) for name, (table, _) in labelled.items()}
    fits = {
        name: sm.Logit(wrong.reindex(signals[name].index).astype(float), signals[name]).fit(disp=0).params
        for name, (_, wrong) in labelled.items()
    }
    misses = 0
    for name, (table, wrong) in labelled.items():
        bad = wrong.reindex(table.index).to_numpy(float)
        print(f"\n{name}: {bad.sum():.0f} of {len(bad):,} keys wrong")
        print("  fitted:", *(f"{weight:.2f}" for weight in fits[name]), "in use:", *wrong_keys.CHANCES[name])
        scores = {"suspicion": table["suspicion"], "votes against the key": -table["for_key"]}
        scores |= {f"fitted on {other}": signals[name] @ fits[other] for other in NAMES if other != name}
        for words, score in scores.items():
            shares = [wrong_keys.share_found(score.to_numpy().round(9), bad, budget) for budget in BUDGETS]
            print(f"  {words:55}" + "".join(f"{100 * share:6.0f} %" for share in shares))
        others = {other: tuple(fits[other]) for other in NAMES if other != name}
        wrong_keys.CHANCES, every = others, wrong_keys.CHANCES
        expected = wrong_keys.expected_found(table, BUDGETS, np.random.default_rng(SEED))
        wrong_keys.CHANCES = every
        for row, budget in zip(expected.itertuples(), BUDGETS):
            truth = 100 * wrong_keys.share_found(table["suspicion"].to_numpy(), bad, budget)
            inside = row.low <= truth <= row.high
            misses += not inside
            words = f"{row.found:.0f} [{row.low:.0f}, {row.high:.0f}], true {truth:.0f}"
            print(f"  expected without this exam, {100 * budget:.0f} %: {words}{'' if inside else '  OUTSIDE'}")
    print(f"\n{misses} of {len(labelled) * len(BUDGETS)} expectations miss the truth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
