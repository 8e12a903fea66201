"""Results of an exam in the files of the field: HLE (predictions, judged), inspect_ai, lm-eval (samples), promptfoo,
and tables with a row per reply.

    read_results(path)                                                # whichever of them it is
    read_results(path, scores=["choice"], filters=["strict-match"])   # where a file holds several of these

`hle/your_exam` writes the first, which HLE's own scorer reads.
Sources: HLE's public code (hle_eval), inspect_ai's log version 2, lm-eval's --log_samples, promptfoo's results
(version 3).
Errors are DataError, naming the file, the row and what to fix.
"""

import gc
import json
import math
import sys
import zlib
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic_core import from_json

from proctor.data.answers import OUTCOMES
from proctor.data.schemas import LETTERS
from proctor.data.tabular import DataError, Row, Wrong, made, needs, problem, read_rows

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:  # inspect_ai compresses its logs with Zstandard since 2026, which Python's own zipfile reads from 3.14 on
    from backports.zstd import ZstdError, zipfile

WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # inspect_ai's words: correct, incorrect, partly, no answer
EMPTY = "no results in it."
MISSING = dict(question_id="", model="", sample=0, reply="", answer=None, cut_off=False, score=math.nan)
ITEMS = ("item", "item_id", "question_id", "task_id", "instance_id", "id")  # names of columns in tables
REPLIES = ("reply", "response", "output", "text")
ANSWERS = ("answer", "prediction", "final_answer")  # what a reply states, read by somebody already
SCORES = ("score", "correct", "right", "resolved")
NO_MATCH = "[invalid]"  # lm-eval's filters by pattern write it for an answer that they did not find


def read_results(
    path: str | Path, scores: Collection[str] = (), filters: Collection[str] = (), replies: bool = True
) -> pd.DataFrame:
    """One row per reply of a file, whose kind is known by its ending and content: question_id, model ("": the file does
    not say which), sample, reply, answer (as the file read it; None: it did not), cut_off, and score, NaN where nobody
    judged the reply, the sample ended in an error or the judge's call failed.

    scores, filters: of several scorers of inspect_ai, and metrics and filters of lm-eval, those to read: one a file.
    replies: False where scores and answers are enough, which logs of inspect_ai hold apart."""
    path, collecting = Path(path), gc.isenabled()
    gc.disable()  # a million rows are millions of objects, none of them garbage: looking for it doubles the time
    try:
        found = _results(path, scores, filters, replies)
    finally:
        if collecting:
            gc.enable()
    for name in MISSING.keys() - {*found}:
        found[name] = MISSING[name]
    return found[[*MISSING]]


def is_table(path: Path) -> bool:
    """Whether a file is a table of rows, and no log or object of the formats here."""
    kind = path.suffix.lower()
    if kind in (".json", ".jsonl") and path.is_file():
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            begins = file.read(100_000).lstrip()
        return begins.startswith("[") if kind == ".json" else '"resps"' not in begins
    return kind != ".eval"


def _results(path: Path, scores: Collection[str], filters: Collection[str], replies: bool) -> pd.DataFrame:
    kind = path.suffix.lower()
    if is_table(path):
        return long_table(path, *read_rows(path))
    if kind == ".jsonl":
        return _lm_eval(path, scores, filters)
    if kind == ".eval" and zipfile.is_zipfile(path):
        return _inspect(path, *_zipped_log(path, replies), scores)
    if not isinstance(found := _json(path), dict):
        raise DataError(f"{path}: not a JSON object. Is it a file of another format?")
    if kind == ".eval" or {"samples", "eval"} <= set(found):
        return _inspect(path, found, _list(found.get("samples")), scores)
    if isinstance(tests := _dict(found.get("results")).get("results"), list):
        return _promptfoo(path, tests)
    return _hle(path, found)


# Tables: item and reply, answer or score, under the names that people give them


def column_of(columns: Collection[str], names: Iterable[str]) -> str:
    """The first of these names that is among the columns; "": none is."""
    return next((name for name in names if name in columns), "")


def long_table(path: Path, rows: list[Row], problems: list[str]) -> pd.DataFrame:
    """The rows of a table with a row per reply, as `read_results` gives them."""
    columns = dict.fromkeys(column for _, row in rows for column in row)
    item, reply, given, score = (column_of(columns, names) for names in (ITEMS, REPLIES, ANSWERS, SCORES))
    if not item or not (reply or given or score):
        fix = "Give question_id, and reply, answer or score (or correct), if wanted model and sample"
        raise DataError(f"{path}: the columns are {', '.join(columns) or 'none'}. {fix}.")

    def reply_of(_: int, row: dict) -> dict:
        needs(row, item, fix="Give every row its question")
        texts = [str(row[name]) if row.get(name) is not None else "" for name in (reply, given)]
        marked = row.get(score) not in (None, "")
        read = dict(
            model=str(row.get("model") or ""), question_id=str(row[item]).strip(), reply=texts[0], cut_off=False
        )
        read |= dict(answer=texts[1] or None, score=score_of(row[score], score) if marked else math.nan)
        try:
            return read | dict(sample=int(str(row.get("sample") or 0)))
        except ValueError:
            raise Wrong("sample", f"{row['sample']!r} is no whole number", "Number samples 0, 1, 2 ...") from None

    return pd.DataFrame(made(path, rows, problems, reply_of, empty=EMPTY))


def score_of(said: object, column: str) -> float:
    """A score, from a number or a word such as yes and no. Raises Wrong for anything else."""
    word = str(said).strip().casefold()
    try:
        return float(OUTCOMES[word]) if word in OUTCOMES else float(str(said))
    except ValueError:
        raise Wrong(column, f"{said!r} is no score", "Give a number from 0 to 1, or yes or no") from None


def _only(path: Path, column: str, names: Collection[str], wanted: Collection[str], option: str) -> str:
    """The name that a file has, of several the wanted one. Raises DataError that names them and the option."""
    left = [name for name in names if not wanted or name in wanted]
    if len(left) != 1:
        what = ", ".join(names) + (f"; none is called {' or '.join(wanted)}" if not left else "")
        raise DataError(problem(path, None, column, what, f"Choose one, such as {option} {next(iter(names))}"))
    return left[0]


# HLE: one object, by question id; a judged file has a judgement next to each response


def _hle(path: Path, found: dict) -> pd.DataFrame:
    """HLE's predictions or judged file; an object that holds them as `predictions` or `judged_predictions` beside other
    things too."""
    for name in ("judged_predictions", "predictions"):
        if isinstance(found.get(name), dict) and "response" not in found[name]:
            found = found[name]

    def row_of(_: int, named: tuple[str, Any]) -> dict:
        name, entry = named
        if not isinstance(entry, dict) or not isinstance(entry.get("response"), str):
            raise Wrong("response", f"none for question {name!r}", "Ask this question again")
        row = dict(model=str(entry.get("model", "")), question_id=name, reply=entry["response"])
        said = entry.get("judge_response")
        if said is None or _dict(said).get("error"):
            return row
        word = str(_dict(said).get("correct")).strip().lower()
        if word not in ("yes", "no"):
            raise Wrong("judge_response", f"correct is {word!r}", "Write yes or no")
        return row | dict(score=float(word == "yes"))

    return _table(path, found.items(), row_of)


# inspect_ai: a log (.json, or .eval: the same in a zip) with samples, each with output and scores


def _inspect(path: Path, header: dict, samples: list, scores: Collection[str]) -> pd.DataFrame:
    """A log of inspect_ai. scores: names of scorers, one of them in this log; a part of a scorer whose value is an
    object is scorer/part. Scores that are neither a word of inspect_ai, a truth value nor a number are a DataError."""
    model = _dict(header.get("eval")).get("model", "")
    scored = [_scores(_dict(sample)) for sample in samples]
    names = list(dict.fromkeys(name for each in scored for name in each))
    name = _only(path, "scores", names, scores, "--score") if names else ""

    def row_of(_: int, both: tuple[dict, dict]) -> dict:
        sample, found = both
        if name not in found and not sample.get("error"):
            raise Wrong("scores", f"no score {name}".strip(), "Run this sample again, or score the log first")
        said = found.get(name, {})
        value = _score(said.get("value")) if said else math.nan
        if value is None:
            raise Wrong(name, f"value {said.get('value')!r}", "Reduce it to C, I or a number first")
        output = _dict(sample.get("output"))
        choice = _dict(next(iter(_list(output.get("choices"))), None))
        return dict(
            model=str(output.get("model") or model),
            question_id=str(sample.get("id")),
            sample=max(1, int(_finite(sample.get("epoch", 1)) or 0)) - 1,
            answer=said.get("answer"),
            score=value,
            reply=_content(_dict(choice.get("message")).get("content")),
            cut_off=choice.get("stop_reason") in ("max_tokens", "model_length"),
        )

    return _table(path, zip(samples, scored), row_of)


def _scores(sample: dict) -> dict[str, dict]:
    """A sample's scores by scorer; those of a scorer whose value is an object by scorer/part."""
    found = {}
    for name, said in _dict(sample.get("scores")).items():
        if isinstance(value := _dict(said).get("value"), dict):
            found |= {f"{name}/{part}": said | {"value": one} for part, one in value.items()}
        else:
            found[name] = _dict(said)
    return found


def _zipped_log(path: Path, replies: bool) -> tuple[dict, list[dict]]:
    """Header and samples of a log; where no replies are wanted, their summaries, whose answers end at 1,000 characters,
    in place of the samples."""
    try:
        with zipfile.ZipFile(path) as file:
            header, names = json.loads(file.read("header.json")), file.namelist()
            if not replies and "summaries.json" in names:
                return header, json.loads(file.read("summaries.json"))
            names = sorted(name for name in names if name.startswith("samples/") and name.endswith(".json"))
            return header, [json.loads(file.read(name)) for name in names]
    # RuntimeError: an encrypted log
    except (KeyError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, ZstdError) as error:
        raise DataError(
            f"{path}: not a log that can be read ({error}). Convert it: inspect log convert --to json."
        ) from None


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(
            str(part.get("text", "")) for part in content if isinstance(part, dict) and part.get("type") == "text"
        )
    return content if isinstance(content, str) else ""


# lm-eval: samples_<task>.jsonl, a line a document and filter


def _lm_eval(path: Path, scores: Collection[str], filters: Collection[str]) -> pd.DataFrame:
    """lm-eval's samples. question_id is the document's own `id` where it has one, else doc_id. answer: as the filter
    read it (None where its pattern found none); of a multiple choice, whose replies are likelihoods, the letter of the
    likeliest option. scores, filters: names of metrics and of filters, one of them in this file."""
    lines, problems = read_rows(path, "jsonl")
    if not lines:
        return pd.DataFrame(made(path, [], problems, lambda _, row: row, empty=EMPTY))
    filter = _only(path, "filter", dict.fromkeys(_filter(line) for _, line in lines), filters, "--filter")
    lines = [(number, line) for number, line in lines if _filter(line) == filter]
    names = dict.fromkeys(name for _, line in lines for name in _metrics(line))
    name = _only(path, "metrics", names, scores, "--score") if names else ""

    def rows_of(_: int, line: dict) -> list[dict]:
        if name not in line:
            raise Wrong("metrics", f"no {name or 'metric'}", "Run this document again")
        replies, given = _replies(line)
        values = line[name] if isinstance(line[name], list) else [line[name]] * (len(replies) or 1)
        name_of, rows = str(_dict(line.get("doc")).get("id", line.get("doc_id"))), []
        for sample, value in enumerate(values):
            if (score := _score(value)) is None:
                raise Wrong(name, f"{value!r} is no number", "Name another metric")
            answer, reply = (texts[sample] if sample < len(texts) else None for texts in (given, replies))
            rows.append(dict(question_id=name_of, sample=sample, answer=answer, score=score, reply=reply or ""))
        return rows

    return pd.DataFrame([row for rows in made(path, lines, problems, rows_of, empty=EMPTY) for row in rows])


def _filter(line: dict) -> str:
    return str(line.get("filter", "none"))


def _metrics(line: dict) -> list[str]:
    names = line.get("metrics") or [name for name in ("exact_match", "acc") if name in line]
    return list(map(str, names)) if isinstance(names, list) else []


def _replies(line: dict) -> tuple[list[str], list[str | None]]:
    """The replies of a line, and the answers that its filter read in them. A multiple choice has no reply: its
    responses are pairs of a log-likelihood and whether it is the greedy continuation, written as texts."""
    parts = line.get("resps")
    if not any(isinstance(one, list) for part in _list(parts) for one in _list(part)):
        return _texts(parts), [None if text == NO_MATCH else text for text in _texts(line.get("filtered_resps"))]
    try:
        likely = [float(_list(_list(part)[0])[0]) for part in _list(parts)]
    except (IndexError, TypeError, ValueError):
        return [], []
    best = likely.index(max(likely))
    return [], [LETTERS[best]] if 1 < len(likely) <= len(LETTERS) else []


def _texts(value: object) -> list[str]:
    """The texts of a list, and of the lists in it."""
    return [text for part in _list(value) for text in _list(part) or [part] if isinstance(text, str)]


# promptfoo: promptfoo eval --output results.json, an entry a test, prompt and provider


def _promptfoo(path: Path, tests: list) -> pd.DataFrame:
    """Results of promptfoo; model is the provider, with its prompt where there are several.

    question_id is the test's `id` among its variables or its metadata, else its first number: tests of the same
    variables are samples of one question. A test without a response is a DataError."""
    entries = [_dict(entry) for entry in tests]
    prompts = {str(_dict(entry.get("prompt")).get("label")) for entry in entries}
    ids = {}

    def row_of(number: int, entry: dict) -> dict:
        test, provider, response = (_dict(entry.get(name)) for name in ("testCase", "provider", "response"))
        output, score = response.get("output"), _finite(entry.get("score"))
        if output is None or score is None:
            what = "no response" if output is None else f"score {entry.get('score')!r}"
            raise Wrong("response", what, "Run this test again")
        variables = _dict(entry.get("vars")) or _dict(test.get("vars"))
        name = variables.get("id", _dict(test.get("metadata")).get("id"))
        if name is None:
            name = ids.setdefault(json.dumps(variables, sort_keys=True), entry.get("testIdx", number - 1))
        name = str(name)
        model = str(provider.get("label") or provider.get("id") or entry.get("provider"))
        model += f", {_dict(entry.get('prompt')).get('label')}" if len(prompts) > 1 else ""
        return dict(
            model=model,
            question_id=name,
            reply=output if isinstance(output, str) else json.dumps(output, ensure_ascii=False),
            score=score,
        )

    table = _table(path, entries, row_of)
    return table.assign(sample=table.groupby(["model", "question_id"]).cumcount())


# What they share


def _dict(value: object) -> dict:
    """The object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list:
    return value if isinstance(value, list) else []


def _score(value: object) -> float | None:
    if isinstance(value, str):
        return WORDS.get(value)
    return _finite(value)


def _finite(value: object) -> float | None:
    """A finite number, None for anything else."""
    if isinstance(value, (int, float)) and abs(value) <= sys.float_info.max:
        return float(value)
    return None


def _json(path: Path) -> Any:
    try:
        return from_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the path.") from None
    except ValueError as error:
        raise DataError(f"{path}: bad JSON ({str(error)[:200]}). Take the file again.") from None


def _table(path: Path, entries: Iterable[Any], row_of: Callable[[int, Any], dict]) -> pd.DataFrame:
    return pd.DataFrame(made(path, enumerate(entries, start=1), [], row_of, empty=EMPTY))
