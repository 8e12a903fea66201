"""From each source's own raw files to its tidy ones: the first importers, and what all of them share.

An importer gets the folder that holds the source's files at their paths in the repository, and returns {tidy file:
table of text}. A raw file of another form raises DataError with file and row. What a reader of the tidy file must know
(items that stand twice, rows left out) goes to `say`. An importer checks no value that it takes over: the digests of
data/logs/sources.yaml hold every row that it makes.
"""

import ast
import json
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

import pandas as pd

from proctor.data.tabular import DataError, Wrong, problem, read

Say = Callable[[str], None]
Tables = dict[str, pd.DataFrame]
Made = TypeVar("Made")

AGAIN = "Fetch the source again"
# What taking the parts of a raw file of another form may raise.
OTHER_FORM = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)

# judge_scores: the file, and which judge gave each of its groups of scores. The rest of the folder is not read.
SCORED = {
    "base_both_k8": {"full": "gpt-5.4", "mini": "gpt-5.4-mini"},
    "base_nano_k8": {"nano": "gpt-5.4-nano"},
    "base_claude_both_k8": {"full": "claude-sonnet-4.6", "mini": "claude-haiku-4.5"},
    "criteria_both_k8": {"full": "gpt-5.4+criteria", "mini": "gpt-5.4-mini+criteria"},
    "criteria_claude_both_k8": {"full": "claude-sonnet-4.6+criteria", "mini": "claude-haiku-4.5+criteria"},
    "base_full_k8_t0.0": {"full": "gpt-5.4@t0"},
    "base_full_k8_t0.3": {"full": "gpt-5.4@t0.3"},
    "base_full_k8_t0.7": {"full": "gpt-5.4@t0.7"},
    "cal-low_both_k8": {"full": "gpt-5.4+low_anchor", "mini": "gpt-5.4-mini+low_anchor"},
    "cal-high_both_k8": {"full": "gpt-5.4+high_anchor", "mini": "gpt-5.4-mini+high_anchor"},
    "combined_both_k8": {"full": "gpt-5.4+combined", "mini": "gpt-5.4-mini+combined"},
}
# llmbar: prompts that need nothing but the pair; those with generated metrics or references are left out.
PROMPTS = ("CoT", "Rating", "Rating_NoRules", "Swap", "Swap_CoT", "Vanilla", "Vanilla_1shot", "Vanilla_2shot")
PROMPTS += ("Vanilla_NoRules",)
RESPONSES = {
    "swebench_verified/responses.jsonl": "swebench_verified_134systems.csv.gz",
    "swebench_pro/responses.jsonl": "swebench_pro_14systems.csv.gz",
    "terminalbench/responses.jsonl": "terminalbench2_112systems.csv.gz",
    "terminalbench/responses_raw.jsonl": "terminalbench2_trials_83systems.csv.gz",
    "gso/responses.jsonl": "gso_15systems.csv.gz",
}
GRADED = {"gsm": "gsm.csv.gz", "math-l5": "math-l5.csv.gz", "crux": "crux.csv.gz"}
_PROBABILITIES = re.compile(r"([a-z]+)_(Llama3-70b|gpt-3\.5-turbo|gpt-4-turbo)-q(\d+)to(\d+)(.*)")
_WANTED_PROMPT = ("", "_no_abst_norm_logits_first_prompt")
_NO_WORD = re.compile(r"\W+")
_KEY = re.compile(r"(?<![\w.])([A-D0-3])(?![\w.:])")


def rows(path: Path, make: Callable[[dict], Made]) -> list[Made]:
    """What `make` makes of each row. Raises DataError, with file and row, where it fails or a row can't be read."""

    def made(row: dict) -> Made:
        try:
            return make(row)
        except OTHER_FORM as error:
            raise Wrong(None, f"not in the form that is known ({error!r})", AGAIN) from None

    return read(path, made)


def from_json(path: Path, take: Callable[..., Made]) -> Made:
    """`take` of the JSON in a file. Raises DataError, with file and row, where it is no JSON or `take` fails."""
    try:
        return take(json.loads(path.read_text(encoding="utf-8")))
    except OTHER_FORM as error:
        what = f"not in the form that is known ({error!r})"
        raise DataError(problem(path, getattr(error, "lineno", 1), None, what, AGAIN)) from None


def csv_table(path: Path, **how) -> pd.DataFrame:
    """A CSV as text. Raises DataError, with the file, where it is none."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, **how)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as CSV ({error}). {AGAIN}.") from None


def files_by_name(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern, sorted by name."""
    return sorted(folder.glob(pattern), key=lambda path: path.name)


def number_of(text: str) -> float | None:
    """The number that a text is; commas of thousands are left out. None: it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def judge_scores(raw: Path, say: Say = print) -> Tables:
    """Scores of judges: one row per item and judge, a candidate's eight scores as one string (A = 10, . = missing).

    The source counts its items anew in some subsets, so that about 40 numbers stand for two items. Of these the one
    that comes last in a file is kept, under the subset that comes last of all.
    """
    kept, double, subsets = [], set(), {}
    for stem, groups in SCORED.items():
        items: dict[str, list[list[str]]] = {}
        path = raw / "results" / "raw" / f"{stem}.jsonl"
        for item, subset, scores in filter(None, rows(path, partial(_scores, groups=groups))):
            double |= {item} & items.keys()
            subsets[item], items[item] = subset, scores
        kept += [scores for item in items.values() for scores in item]
    if double:
        say(f"  {len(double)} numbers stand for two items; the last one is kept: {', '.join(sorted(double)[:5])} ...")
    found = pd.DataFrame(kept, columns=["id", "judge", "chosen", "rejected1", "rejected2", "rejected3"])
    found.insert(1, "subset", found["id"].map(subsets))
    return {"tidy.csv.gz": found}


def _scores(row: dict, groups: dict[str, str]) -> tuple[str, str, list[list[str]]] | None:
    """(item, subset, for each judge: item, judge, eight scores of each of four candidates); None: it was refused."""
    if row.get("refused"):
        return None
    letters = {None: ".", 10: "A"} | {score: str(score) for score in range(1, 10)}
    found = []
    for group, judge in groups.items():
        scores = ["".join(letters[score] for score in each) for each in row[f"{group}_scores"]]
        found.append([str(row["id"]), judge, *scores])
    return str(row["id"]), row["subset"], found


def mmlu_redux(raw: Path, say: Say = print) -> Tables:
    """MMLU-Redux: experts' labels and repaired keys from the subjects' files, answers of models from all.csv.

    all.csv holds the subjects in alphabetical order; the questions of both must agree, but for blanks and signs.
    """
    answers = csv_table(raw / "outputs" / "multi_expert_helm" / "all.csv")
    files = files_by_name(raw / "mmlu_redux", "mmlu_*.csv")
    experts = pd.concat([_experts(file).assign(subject=file.stem.removeprefix("mmlu_")) for file in files])
    subjects = experts["subject"].tolist()
    asked = [[_NO_WORD.sub("", question) for question in side["question"]] for side in (answers, experts)]
    if asked[0] != asked[1]:
        raise DataError(f"{raw}: all.csv has other questions than the files of the subjects. {AGAIN}.")
    if n := int(answers.duplicated(["question", "choices"]).sum()):
        say(f"  {n} questions stand twice with the same choices")
    about = pd.DataFrame(
        {
            "item": [f"{subject}/{at:03d}" for at, subject in enumerate(subjects)],
            "subject": subjects,
            "error_type": answers["error_type"],
            "original_key": answers["groundtruth_answer"].map(dict(zip("0123", "ABCD"))),
            "repaired_keys": [*map(_repaired, experts["correct_answer"], answers["choices"])],
        }
    )
    models = answers.loc[:, "error_type":"majority_llm_pred_top_3"].iloc[:, 1:-1]
    return {"tidy.csv.gz": about.join(models.apply(lambda replies: replies.str[:1]))}


def _experts(file: Path) -> pd.DataFrame:
    """The labels of a subject; its file may have been written with semicolons, or in another encoding."""
    return csv_table(file, sep=None, engine="python", encoding_errors="replace").fillna("")


def _repaired(text: str, choices: str) -> str:
    """Letters of the repaired keys, which experts wrote as letters, as 0 to 3, or as the text of a choice."""
    marks = _KEY.findall(text) if len(text) < 13 else []  # a longer text is a remark
    if not marks and f"'{text}'" in choices:
        marks = [str(ast.literal_eval(choices).index(text))]
    return "".join(sorted({mark if mark.isalpha() else "ABCD"[int(mark)] for mark in marks}))


def agent_outcomes(raw: Path, say: Say = print) -> Tables:
    """Which system solved which task: items sorted, systems by their share solved, ties as they came."""
    tables = {}
    for place, name in RESPONSES.items():
        if (path := raw / "data" / place).is_file():
            cells = pd.DataFrame(dict(rows(path, _responses))).sort_index()
            tables[name] = _by_share(cells.sort_index(axis=1) if "trials" in name else cells, "item")
    return tables


def _responses(row: dict) -> tuple[str, dict[str, str]]:
    """A system and its outcome of each item, where there are several runs as successes/trials."""
    outcomes = row["responses"]
    several = {item: f"{o['successes']}/{o['trials']}" for item, o in outcomes.items() if isinstance(o, dict)}
    return row["subject_id"], {item: several.get(item) or str(int(outcome)) for item, outcome in outcomes.items()}


def _by_share(cells: pd.DataFrame, index: str) -> pd.DataFrame:
    """The columns by falling share of successes, ties as they came; missing cells blank."""
    shares = cells.map(lambda cell: float(Fraction(cell)), na_action="ignore").astype(float).mean()
    order = shares.sort_values(ascending=False, kind="stable").index
    return cells[order].fillna("").rename_axis(index).reset_index()


def zeroeval(raw: Path, say: Say = print) -> Tables:
    """Right or wrong, marked again by program: the reply's JSON answer against the key."""
    tables: Tables = {}
    for dataset, name in GRADED.items():
        columns, order = {}, dict[str, None]()
        for path in files_by_name(raw / "result_dirs" / dataset, "*.json"):
            columns[path.stem] = marks = dict(rows(path, _graded))
            order |= dict.fromkeys(marks)
        tables |= {name: _by_share(pd.DataFrame(columns).reindex(list(order)), "id")} if columns else {}
    return tables


def _graded(row: dict) -> tuple[str, str]:
    """An item, and 1 or 0: whether its reply gives the key."""
    return row["id"], str(int(_same_answer(_json_answer(str(row["output"][0])), str(row["answer"]))))


def llmbar(raw: Path, say: Say = print) -> Tables:
    """Verdicts on pairs in both orders; that of the second order already names the output, not the place.

    A prompt of several stages ends with its verdict: with Swap and Swap_CoT the judge is shown both of its first
    verdicts where they conflict, and decides again.
    """
    top, found = raw / "Dataset" / "LLMBar", []
    for path in sorted(top.rglob("result.json"), key=lambda path: path.as_posix()):
        subset, _, rest = path.relative_to(top).as_posix().partition("/evaluators/")
        judge, prompt = rest.split("/")[:2]
        if prompt in PROMPTS:
            found += [[subset, str(at), judge, prompt, *each] for at, each in enumerate(rows(path, _winners))]
    columns = ["subset", "item", "judge", "prompt", "label", "winner_order1", "winner_order2_mapped"]
    return {"tidy.csv.gz": pd.DataFrame(found, columns=columns)}


def _winners(row: dict) -> list[str]:
    """The label of a pair, and the winner in each order."""
    return [str(row["label"]), *(str(row["results"][-1][f"swap = {swap}"]["winner"]) for swap in (False, True))]


def token_probability(raw: Path, say: Say = print) -> Tables:
    """Probability of the answer's first token (four digits) and right or wrong; unparseable replies are left out."""
    parts = []
    for path in files_by_name(raw / "main_results", "*.txt"):
        named = _PROBABILITIES.fullmatch(path.stem)
        if named and named[5] in _WANTED_PROMPT:
            part = csv_table(path, sep=" ").reset_index(names="place")
            parts.append(part.assign(dataset=named[1], model=named[2], item=part["place"] + int(named[3])))
    found = pd.concat(parts, ignore_index=True)
    read = found["grade"] != "Unparseable"
    say(f"  {int((~read).sum())} unparseable replies are left out")
    found = found[read].assign(
        correct=(found["grade"] == "Correct").astype(int),
        max_softmax_prob=found["confidence_level"].map(lambda cell: round(float(cell), 4)),
    )
    return {"tidy.csv.gz": found[["dataset", "model", "item", "correct", "max_softmax_prob"]]}


def _json_answer(output: str) -> str:
    """The field `answer` of the JSON in a reply; "" where there is none."""
    found = re.findall(r'"answer"\s*:\s*("(?:[^"\\]|\\.)*"|[^,}\n]+)', output)
    if not found:
        return ""
    try:
        return str(json.loads(found[-1]))
    except ValueError:
        return found[-1].strip()


def _same_answer(answer: str, key: str) -> bool:
    """Equal as numbers, as Python literals, or as text without signs of money, share and formula."""
    key = key.removeprefix("# ")  # of GSM8K
    one, other = (re.sub(r"[$%\\\s]|,(?=\d{3})", "", text) for text in (answer, key))
    if not one:
        return False
    a, b = number_of(one), number_of(other)
    if a is not None and b is not None:
        return abs(a - b) < 1e-6
    try:
        return ast.literal_eval(answer) == ast.literal_eval(key)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that it raises for strange text
        return one.lower() in (other.lower(), other.strip("'\"").lower())
