"""Processor seconds to read a million results from each format, next to pandas or json on the same file.

    PYTHONPATH=lib python -P benchmarks/read_results.py [--rows 1_000_000] [--only lm-eval ...]

Each file has a million replies, rows or votes. parsing alone: what pandas (`read_csv`) or json
needs to parse the file alone, without a table of results. Goal: under 20 seconds for a million rows.
inspect_ai's `.eval` is written as inspect_ai 0.3.285 writes it: a member a sample, compressed by Zstandard, and one of
all summaries, from which `compare` reads scores (24 s, as long as zipfile and json alone). `mark` and `keys` read the
samples, and zipfile alone takes twice as long.
Simulated.
"""

import argparse
import csv
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pandas as pd
from proctor.exam.formats import read_results, zipfile
from proctor.exam.marking import read_keys, read_one, read_replies
from proctor.exam.wrong_keys import read_votes
from proctor.uq.own_judges import read_labels, read_verdicts

REPLY = "The product is seven, so the answer is B.\nAnswer: B"


def hle(n: int) -> dict:
    judged = dict(correct="yes", model_answer="B", reasoning="It is B.", confidence=80)
    usage = dict(prompt_tokens=100, completion_tokens=20)
    return {f"q{i}": dict(model="m", response=REPLY, usage=usage, judge_response=judged) for i in range(n)}


def sample(i: int) -> dict:
    choice = dict(message=dict(role="assistant", content=REPLY), stop_reason="stop")
    usage = dict(input_tokens=100, output_tokens=20)
    scores = dict(choice=dict(value="C", answer="B"))
    return dict(id=f"q{i}", epoch=1, output=dict(model="m", choices=[choice], usage=usage), scores=scores)


def inspect(n: int) -> dict:
    return dict(version=2, eval=dict(model="m"), samples=[sample(i) for i in range(n)])


def lm_eval(n: int) -> Iterator[dict]:
    for i in range(n):
        same = dict(target="B", filter="none", metrics=["exact_match"], exact_match=1.0)
        yield dict(doc_id=i, doc=dict(id=f"q{i}"), resps=[[REPLY]], filtered_resps=["B"], **same)


def promptfoo(n: int) -> dict:
    def entry(i: int) -> dict:
        usage = dict(tokenUsage=dict(prompt=100, completion=20))
        said = dict(response=dict(output=REPLY) | usage, success=True, score=1, provider=dict(id="m"))
        return dict(testIdx=i, vars=dict(id=f"q{i}"), prompt=dict(label="p"), **said)

    return dict(version=3, results=dict(results=[entry(i) for i in range(n)]))


def written(path: Path, found: object) -> Path:
    with path.open("w") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(line) + "\n" for line in found)
        else:
            json.dump(found, file)
    return path


def summary(i: int) -> dict:
    """What inspect_ai keeps of a sample beside it, 600 bytes: its input, scores, use and times."""
    usage = dict(m=dict(input_tokens=100, output_tokens=20, total_tokens=120))
    asked = dict(input="What is three plus four?", choices=["6", "7", "8"], target="B", metadata={})
    said = dict(choice=dict(value="C", answer="B", explanation=REPLY, history=[]))
    times = {f"{what}_at": "2026-11-26T18:26:13.641608+00:00" for what in ("started", "completed")}
    counts = dict(total_time=0.295, working_time=0.295, uuid="byukfjKSH5Ms86dvbuoTJg", retries=0, message_count=2)
    return dict(id=f"q{i}", epoch=1) | asked | dict(scores=said, model_usage=usage, role_usage={}) | times | counts


def zipped(path: Path, n: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_ZSTANDARD) as file:
        for i in range(n):
            file.writestr(f"samples/q{i}_epoch_1.json", json.dumps(sample(i)))
        file.writestr("summaries.json", json.dumps([summary(i) for i in range(n)]))
        file.writestr("header.json", json.dumps(dict(version=2, eval=dict(model="m"))))
    return path


def scores(path: Path) -> object:
    return read_results(path, replies=False)


def table(path: Path, header: list[str], rows: Iterable[list]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def parsed(path: Path) -> object:
    """The file parsed by json (or pandas, for a table) alone."""
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as file:
            kept = path.stem == "scores"
            return [json.loads(file.read(name)) for name in file.namelist() if (name == "summaries.json") == kept]
    with path.open() as file:
        return [json.loads(line) for line in file] if path.suffix == ".jsonl" else json.load(file)


def cases(folder: Path, n: int) -> dict[str, tuple[Callable[[], Path], Callable[[Path], object]]]:
    """Name -> what writes the file, and our reader of it."""
    ids = [f"q{i}" for i in range(n)]
    half = ids[: n // 2]
    labels, verdicts = [[name, "yes"] for name in ids], [[name, "j", "accept"] for name in ids]
    wide = [[name, "B", "B", "C"] for name in half]
    replies = [[name, model, REPLY, 1] for name in half for model in "ab"]
    return {
        "HLE": (lambda: written(folder / "hle.json", hle(n)), read_results),
        "inspect_ai .json": (lambda: written(folder / "log.json", inspect(n)), read_results),
        ".eval, scores": (lambda: zipped(folder / "scores.eval", n), scores),
        ".eval, replies": (lambda: zipped(folder / "log.eval", n), read_results),
        "lm-eval": (lambda: written(folder / "samples.jsonl", lm_eval(n)), read_results),
        "promptfoo": (lambda: written(folder / "foo.json", promptfoo(n)), read_results),
        "replies": (
            lambda: table(folder / "replies.csv", ["question_id", "model", "reply", "score"], replies),
            read_replies,
        ),
        "keys": (lambda: table(folder / "keys.csv", ["id", "answer"], [[name, "B"] for name in ids]), read_keys),
        "scores": (lambda: table(folder / "scores.csv", ["item", "score"], [[name, 1] for name in ids]), read_one),
        "votes, wide": (lambda: table(folder / "wide.csv", ["item", "key", "one", "two"], wide), votes),
        "labels": (lambda: table(folder / "labels.csv", ["answer_id", "correct"], labels), read_labels),
        "verdicts": (
            lambda: table(folder / "verdicts.csv", ["answer_id", "judge", "verdict"], verdicts),
            read_verdicts,
        ),
    }  # fmt: skip


def votes(path: Path) -> object:
    return read_votes([path])


def seconds(do: Callable[[Path], object], path: Path) -> float:
    begun = time.process_time()
    do(path)
    return time.process_time() - begun


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--only", nargs="+", help="of these formats only; default: all")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="results-") as name:
        for kind, (write, read) in cases(Path(name), given.rows).items():
            if given.only and kind not in given.only:
                continue
            path = write()
            size = path.stat().st_size / 1e6
            ours, alone = seconds(read, path), seconds(parsed, path)
            print(f"{kind:17} {size:5.0f} MB  ours {ours:5.1f} s  parsing alone {alone:5.1f} s", flush=True)
            path.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
