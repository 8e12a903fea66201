"""The example of an exam's answers that ships: simulated systems, of which the wrong keys are known.

python -c "from proctor.exam.example_exam import write; write('data/examples')"
"""

from pathlib import Path

import numpy as np
import pandas as pd

from proctor.files import write_atomic

FILE, DECISIONS = "exam_answers.csv", "exam_decisions.csv"
ITEMS, SYSTEMS, WRONG, EXCLUDED = 300, 10, 9, 1
SEED = 20260101


def example_exam(seed: int = SEED) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers (item, key, one column per system) and a reviewer's decisions (id, decision, answer) on the wrong keys
    and as many others. Half of the errors on an item go to one tempting letter; a wrong key is one of the four other
    letters at random, or (EXCLUDED of them) no letter is right."""
    rng = np.random.default_rng(seed)
    letters, names = np.array(list("ABCDE")), [f"system-{n:02d}" for n in range(1, SYSTEMS + 1)]
    truth = rng.integers(5, size=ITEMS)
    tempting = (truth + rng.integers(1, 5, ITEMS)) % 5
    chance = 1 / (1 + np.exp(-(np.linspace(-0.3, 1.8, SYSTEMS)[:, None] + rng.normal(0, 1.5, ITEMS))))
    error = np.where(rng.random(chance.shape) < 0.5, tempting, (truth + rng.integers(1, 5, chance.shape)) % 5)
    given = np.where(rng.random(chance.shape) < chance, truth, error)
    key, wrong = truth.copy(), rng.choice(ITEMS, WRONG, replace=False)
    key[wrong] = (truth[wrong] + rng.integers(1, 5, WRONG)) % 5
    items = [f"q{n:03d}" for n in range(1, ITEMS + 1)]
    answers = pd.DataFrame(letters[given.T], columns=names)
    answers.insert(0, "item", items)
    answers.insert(1, "key", letters[key])
    others = rng.choice(np.setdiff1d(np.arange(ITEMS), wrong), WRONG, replace=False)
    rows = [(items[n], "excluded", "") for n in wrong[:EXCLUDED]]
    rows += [(items[n], "repaired", letters[truth[n]]) for n in wrong[EXCLUDED:]]
    rows += [(items[n], "sound", letters[key[n]]) for n in others]
    return answers, pd.DataFrame(sorted(rows), columns=["id", "decision", "answer"])


def write(folder: str | Path, seed: int = SEED) -> None:
    for name, table in zip((FILE, DECISIONS), example_exam(seed)):
        write_atomic(Path(folder) / name, table.to_csv(index=False, lineterminator="\n"))
