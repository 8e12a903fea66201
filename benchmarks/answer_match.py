"""Errors of `exam.answer_match.same` and of math-verify on labelled pairs of answers (answer_match.csv, ours).

    pip install 'math-verify[antlr4_13_2]'     # in an environment of its own: it wants another mpmath
    python benchmarks/answer_match.py          # ours; and the peer's, where PEER names that environment's python

Half of the first 338 pairs are adversarial: most look alike and are different. The `later` ones were written when the
code stood, which called two of them falsely equal (Rho and rho, 5-7 and -2) and is mended since. An error is a false
equal (accepted, but different) or a false difference (rejected, but the same). Ours may also leave a pair to a judge;
math-verify decides always, so what is left open is shown apart, with how many of it are the same. math-verify is made
for mathematics; the last tables leave units, words and marks out. The pairs are ours, and so is the bias of who chose
them.
"""

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd

PAIRS = Path(__file__).with_suffix(".csv")
PEER = os.environ.get("PEER", "")
# math-verify reads LaTeX between dollars: what it can't read as it is, it is given between dollars
SCRIPT = r"""
import json, sys, time
from math_verify import parse, verify
def read(text):
    return parse(text) or parse(f"${text.strip('$')}$")
pairs, found, start = json.load(sys.stdin), [], time.perf_counter()
for answer, key in pairs:
    try:
        found.append(bool(verify(read(key), read(answer))))
    except Exception:
        found.append(False)
print(json.dumps([found, time.perf_counter() - start]))
"""


def pairs() -> pd.DataFrame:
    with PAIRS.open(newline="", encoding="utf-8") as file:
        return pd.DataFrame(csv.DictReader(file))


def errors(rows: pd.DataFrame, said: list[bool | None]) -> pd.DataFrame:
    """A row a half: pairs, false equals, false differences, undecided, of these the same."""
    alike, said = rows["label"] == "same", pd.Series(said, index=rows.index, dtype=object)
    left = said.map(lambda value: value is None)
    table = pd.DataFrame(
        {
            "half": rows["half"],
            "pairs": 1,
            "false_equal": (said.map(lambda value: value is True) & ~alike).astype(int),
            "false_different": (said.map(lambda value: value is False) & alike).astype(int),
            "undecided": left.astype(int),
            "undecided_and_same": (left & alike).astype(int),
        }
    )
    return table.groupby("half").sum()


def main() -> None:
    from proctor.exam.answer_match import same

    rows = pairs()
    start = time.perf_counter()
    said = [same(row.answer, row.key) for row in rows.itertuples()]
    print(f"ours, {time.perf_counter() - start:.1f} s (pint's half second included)\n{errors(rows, said)}\n")
    if not PEER:
        print("no peer: set PEER to the python of an environment with math-verify")
        return
    asked = json.dumps(rows[["answer", "key"]].to_numpy().tolist())
    run = subprocess.run([PEER, "-c", SCRIPT], input=asked, capture_output=True, text=True, check=True)
    peer, seconds = json.loads(run.stdout.strip().splitlines()[-1])
    print(f"math-verify, {seconds:.1f} s\n{errors(rows, peer)}\n")
    maths = rows["kind"].isin(["number", "formula", "sets", "matrix", "odd"])
    for name, verdicts in (("ours", said), ("math-verify", peer)):
        print(f"mathematics only, {name}\n{errors(rows[maths], [v for v, keep in zip(verdicts, maths) if keep])}\n")
    if "--show" in sys.argv:
        for row, mine, other in zip(rows.itertuples(), said, peer):
            print(row.half, row.answer, "|", row.key, "|", row.label, mine, other)


if __name__ == "__main__":
    main()
