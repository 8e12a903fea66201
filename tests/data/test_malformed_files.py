"""Whatever a file holds, a loader gives its rows or raises its own error, which fits on a screen."""

import ast
import csv
import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proctor.audit.reported_table import load_reported
from proctor.data.answers import load_answers, load_asked, load_pairs
from proctor.data.questions import load_questions
from proctor.data.schemas import Question
from proctor.data.tabular import DataError, read_rows
from proctor.exam.formats import read_results
from proctor.exam.judge_licence import read as read_licence
from proctor.exam.marking import read_keys, read_replies
from proctor.exam.wrong_keys import Votes, read_decisions, read_votes
from proctor.hle_verified.decision_rules import load_classes
from proctor.kina.items import load_items
from proctor.kina.leaderboard import load_leaderboard
from proctor.models.cache import StoreError, read_recording
from proctor.paths import ROOT
from proctor.uq import own_judges
from proctor.workflow.params import ParameterError, read_profile

LIB = ROOT / "lib" / "proctor"
TEN = [dict(key=key, answer=str(n)) for n, key in enumerate("ABCDEFGHIJ")]
PAIR = dict(pair_id="p", source="s", question="Why?", response_model="m", response_A="a", response_B="b", label="A>B")
OWN = dict(
    id="q", question="Why?", answer="B", options=["a", "b"], level=1, extra={"a": 1}, answer_type="multipleChoice"
)
ITEM = dict(index="1", discipline="d", question="Why?", options=TEN, correct_answer="B", question_source="s")
VOTES = Votes({"q": Question(id="q", question="Why?", answer="A")}, None)
LICENCE = dict(
    judge="j", prompt="p", labels="", day="", right_accepted=9, right_rejected=1, wrong_accepted=1, wrong_rejected=9,
    sensitivity=[0.9, 0.6, 1], specificity=[0.9, 0.6, 1], base_low=0.3, base_high=0.7,
)  # fmt: skip
HLE = dict(id="q", question="Why?", answer="x", answer_type="exactMatch", raw_subject="s", category="c", image="")
VERIFIED = dict(
    id="q", question="Why?", answer=1.5, Verified_Classes="Gold subset", json='{"answer_type": "exactMatch"}'
)
JUDGED = dict(response="7", usage=dict(prompt_tokens=1), judge_response=dict(correct="yes"))
SCORED = dict(match=dict(value="C", metadata={}))
LOGGED = dict(id="q", epoch=1, scores=SCORED, output=dict(choices=[dict(message={})]))
LINE = dict(doc_id=1, resps=[["7"]], filtered_resps=["7"], exact_match=1.0, doc=dict(id="q"))
TESTED = dict(testIdx=1, vars=dict(q="2"), response=dict(output="4"), provider=dict(id="m"), success=True, score=1)
REPLY = dict(question_id="q", model="m", reply="Answer: 7", sample="1", score="no")
WIDE = dict(item="q", key="A", one="A", two="B", category="c")
REPORTED = dict(name="a", accuracy="85.40", recall="67.78", n="400", positives="90", samples="")
RESULT = dict(id=1, score=0.5, extracted_predictions=["A", "B"], gt="A", discipline="d")


@dataclass(frozen=True)
class Loader:
    """A public loader, its own error, the kinds of file that it reads, and rows that it takes."""

    load: Callable
    rows: list[dict]
    kinds: tuple[str, ...] = ("jsonl", "json", "csv", "parquet")
    error: type[Exception] = DataError


LISTS = ("jsonl", "json", "parquet")
LOADERS = {
    "rows": Loader(read_rows, [OWN, OWN]),
    "questions": Loader(load_questions, [OWN, OWN | dict(id="r")]),
    "questions of HLE": Loader(load_questions, [HLE]),
    "questions of UQ": Loader(load_questions, [dict(question_id=1, title="t", body="b", site="s", category="c")]),
    "questions of HLE-Verified": Loader(load_questions, [VERIFIED]),
    "questions of KINA": Loader(load_questions, [ITEM], LISTS),
    "items": Loader(load_items, [ITEM, ITEM | dict(index="2")], LISTS),
    "answers": Loader(load_answers, [dict(question_id="q", text="seven", correct="yes")]),
    "answers with their questions": Loader(load_asked, [dict(question_id="q", text="7", correct="yes", question="?")]),
    "results of HLE": Loader(read_results, [JUDGED], ("named",)),
    "results of inspect_ai": Loader(read_results, [LOGGED], ("samples",)),
    "results of lm-eval": Loader(read_results, [LINE], ("jsonl",)),
    "results of promptfoo": Loader(read_results, [TESTED], ("results",)),
    "kept replies": Loader(read_replies, [REPLY]),
    "keys": Loader(read_keys, [dict(id="q", answer="B", answer_type="multipleChoice")]),
    "pairs": Loader(load_pairs, [PAIR, PAIR | dict(pair_id="r", label="B>A")], ("jsonl",)),
    "votes": Loader(lambda path: read_votes([path]), [REPLY | dict(model=name, key="8") for name in ("one", "two")]),
    "wide table of answers": Loader(lambda path: read_votes([path]), [WIDE]),
    "decisions": Loader(lambda path: read_decisions(path, VOTES), [dict(id="q", decision="repaired", answer="B")]),
    "labels": Loader(own_judges.read_labels, [dict(answer_id="a", correct="yes"), dict(answer_id="b", correct="")]),
    "verdicts of judges": Loader(
        own_judges.read_verdicts, [dict(answer_id="a", judge="j", verdict="accept", question_id="q", calls="2")]
    ),
    "licence": Loader(read_licence, [LICENCE], ("licence",)),
    "classes of HLE-Verified": Loader(load_classes, [dict(id="q", Verified_Classes="Gold subset")]),
    "reported table": Loader(load_reported, [REPORTED], ("csv",)),
    "wide leaderboard": Loader(load_leaderboard, [dict(item="1", discipline="d", one="0.5", two="1")], ("csv",)),
    "long leaderboard": Loader(
        load_leaderboard, [dict(model=name, item="1", score="0.5") for name in ("one", "two")], ("csv",)
    ),
    "folder of results": Loader(load_leaderboard, [RESULT], ("folder",)),
    "recording": Loader(read_recording, [dict(model="m"), dict(text="Y"), dict(text="N")], ("recording",), StoreError),
    "profile": Loader(read_profile, [dict(all=dict(seed=1))], ("yaml",), ParameterError),
}

ODD = [
    *(None, True, -1, 10**400, float("inf"), float("nan")),
    *(" ", "\0", "\ud800", "9" * 5_000, "1e999", "²", "A", "x" * 9_000, "[" * 1_100, '{"a": NaN}', "[1]"),
    *([], [None], [{}], ["a", 1], [{"key": []}], {"a": {"b": []}}, TEN[:3], [TEN[0]] * 12),
]
TROUBLE = [*(b"", b"\xff", b"\0", b'"', b"\n", b"\r", b"{", b","), b"[" * 1_100, b"9" * 5_000]
TROUBLE += [b"\xed\xa0\x80", b"\xef\xbb\xbf"]


def as_json(value) -> str:
    return json.dumps(value).replace(str(10**400), "9" * 5_000)  # more digits than Python reads


def as_cell(value) -> str:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    return as_json(value) if isinstance(value, list | dict | int) else str(value)


def as_file(folder: Path, kind: str, rows: list[dict]) -> Path:
    """The rows as a file of that kind; what a kind cannot hold is left out or written as text."""
    path = folder / f"file.{kind}"
    if kind == "csv":
        columns = list(dict.fromkeys(column for row in rows for column in row))
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerows([columns, *([as_cell(row.get(column, "")) for column in columns] for row in rows)])
        path.write_text(text.getvalue(), encoding="utf-8", newline="")
    elif kind == "parquet":
        try:
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError, ValueError, TypeError):
            texts = [{key: as_cell(value) for key, value in row.items()} for row in rows]
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(texts), path)
    elif kind == "recording":
        first, *others = rows
        lines = [as_json(first), *(f"key{i} {as_json(row)}" for i, row in enumerate(others))]
        path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    elif kind == "folder":
        path.mkdir(exist_ok=True)
        for model in ("one", "two"):
            (path / f"{model}.json").write_text("[" + ", ".join(map(as_json, rows)) + "]")
    elif kind in ("named", "samples", "results"):
        path = folder / "file.json"
        named = {f"q{number}": row for number, row in enumerate(rows)}
        logs = dict(
            named=named, samples=dict(eval=dict(model="m"), samples=rows), results=dict(results=dict(results=rows))
        )
        path.write_text(as_json(logs[kind]))
    else:
        lines = list(map(as_json, rows))
        path.write_text(f"[{', '.join(lines)}]" if kind == "json" else "\n".join(lines))
    return path


def check(loader: Loader, path: Path) -> None:
    try:
        loader.load(path)
    except loader.error as error:
        text = str(error)
        assert str(path.name) in text or path.parent.name in text
        assert len(text) <= 4_000 and text.count("\n") <= 24
        text.encode()  # it can be printed


@st.composite
def malformed(draw, rows: list[dict], kind: str) -> tuple[list[dict], list[tuple[float, bytes, int]]]:
    """Rows with cells changed, lost, renamed or doubled; then places in the file where bytes go in or out."""
    rows = [dict(row) for row in rows]
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.sampled_from(rows))
        column, how = draw(st.sampled_from([*row, "new"])), draw(st.integers(0, 4))
        if how == 0:
            row.pop(column, None)
        elif how == 1:
            row[draw(st.sampled_from(["", "x" * 5_000, "Score", "a\nb", "\u2028"]))] = row.get(column)
        elif how == 2:
            rows.append(dict(row))
        else:
            row[column] = draw(st.sampled_from(ODD))
    cuts = st.tuples(st.floats(0, 1), st.sampled_from(TROUBLE), st.integers(0, 40))
    return rows, draw(st.lists(cuts, max_size=2))


@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_takes_what_is_well_formed(name, tmp_path):
    for kind in LOADERS[name].kinds:
        LOADERS[name].load(as_file(tmp_path, kind, LOADERS[name].rows))


@pytest.mark.parametrize("name", LOADERS)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_loader_raises_only_its_own_error(name, tmp_path_factory, data):
    loader, folder = LOADERS[name], tmp_path_factory.getbasetemp()
    kind = data.draw(st.sampled_from(loader.kinds))
    rows, cuts = data.draw(malformed(loader.rows, kind))
    path = as_file(folder, kind, rows)
    for file in sorted(path.glob("*")) if path.is_dir() else [path]:
        content = file.read_bytes()
        if kind == "recording" and data.draw(st.booleans()):
            content = gzip.decompress(content)
        for place, put, less in cuts:
            at = int(place * len(content))
            content = content[:at] + put + content[at + less :]
        file.write_bytes(gzip.compress(content) if kind == "recording" and content[:2] != b"\x1f\x8b" else content)
    check(loader, path)


@pytest.mark.parametrize("name", LOADERS)
def test_no_cell_makes_a_loader_raise_another_error(name, tmp_path):
    loader = LOADERS[name]
    first, *others = loader.rows
    for odd in ODD:
        for column in first:
            check(loader, as_file(tmp_path, loader.kinds[0], [first | {column: odd}, *others]))


def test_a_column_name_or_a_cell_of_a_book_is_cut_to_a_screenful(tmp_path):
    (tmp_path / "a.csv").write_text("item,model," + "x" * 100_000 + "\n1,2,3\n")
    with pytest.raises(DataError) as error:
        load_leaderboard(tmp_path / "a.csv")
    assert len(str(error.value)) < 4_000


def test_every_public_loader_is_on_the_list():
    """A function of the data's or a paper's package whose first parameter is a path reads a file that others wrote."""
    listed = {(loader.load.__module__, loader.load.__name__) for loader in LOADERS.values()}
    found = set()
    for package in ("data", "audit", "exam", "uq", "hle", "hle_verified", "kina", "cbu", "stats"):
        for path in (LIB / package).glob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.args.args and not node.name.startswith("_"):
                    first = node.args.args[0]
                    reads = first.arg != "folder" and not node.name.startswith("write_")
                    if reads and "Path" in ast.unparse(first.annotation or first):
                        found.add((f"proctor.{package}.{path.stem}", node.name))
    elsewhere = {  # by others on the list, or in tests of their own
        "data.tabular": ("problem", "read", "made", "collect", "renamed", "read_jsonl", "read_csv"),
        "exam.wrong_keys": ("read_votes", "read_decisions"),
        "cbu.own_candidates": ("load",),
        "exam.formats": ("is_table", "long_table"),
        "exam.marking": ("board_of", "read_one"),
    }
    elsewhere = {(f"proctor.{module}", name) for module, names in elsewhere.items() for name in names}
    assert len(found) > 8 and found - elsewhere <= listed  # else: add it to LOADERS
