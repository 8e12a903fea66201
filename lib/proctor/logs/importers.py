"""From each source's own raw files to its tidy ones.

An importer gets the folder that holds the source's files at their paths in the repository, and returns {tidy file:
table of text}. What is wrong with a raw file raises DataError with file and row. What a reader of the tidy file must
know (items that stand twice, rows left out) goes to `say`.
"""

import ast
import gzip
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from proctor.data.tabular import DataError, Wrong, problem, read
from proctor.files import write_atomic
from proctor.log_files import Source
from proctor.logs import boards, erdos, proofs
from proctor.logs.hle import files_by_name, hle_answers, hle_repairs, hle_runs, number_of
from proctor.logs.raw_files import AGAIN, Say, Tables, cell, numbered_rows
from proctor.logs.tidy import twins

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
SYSTEMS_FROM = {"agent_outcomes": 1, "zeroeval": 1, "mmlu_redux": 5}  # wide tables: the first column of a system
GRADED = {"gsm": "gsm.csv.gz", "math-l5": "math-l5.csv.gz", "crux": "crux.csv.gz"}
_PROBABILITIES = re.compile(r"([a-z]+)_(Llama3-70b|gpt-3\.5-turbo|gpt-4-turbo)-q(\d+)to(\d+)(.*)")
_WANTED_PROMPT = ("", "_no_abst_norm_logits_first_prompt")
_KEY = re.compile(r"(?<![\w.])([A-D0-3])(?![\w.:])")


def run_importer(source: Source, raw: Path, target: Path, say: Say = print) -> list[Path]:
    """Write the tidy files of a source into `target`, whole or not at all. Returns them. Raises DataError."""
    tables = IMPORTERS[source.name](raw, say, **({"only": source.runs} if source.runs else {}))
    written = []
    for name, table in tables.items():
        text = table.to_csv(index=False, lineterminator="\n").encode()
        written.append(write_atomic(target / name, gzip.compress(text, mtime=0) if name.endswith(".gz") else text))
        say(f"  {name}: {len(table):,} rows")
        systems = table.iloc[:, SYSTEMS_FROM[source.name] :] if source.name in SYSTEMS_FROM else pd.DataFrame()
        for one, other, _ in twins(systems):
            say(f"  twins: {one} and {other} gave the same on every item")
    return written


def judge_scores(raw: Path, say: Say = print) -> Tables:
    """Scores of judges: a row an item and judge, a candidate's eight scores as one string (A = 10, . = missing).

    The source counts its items anew in some subsets, so that about 40 numbers stand for two items. Of these the one
    that comes last in a file is kept, under the subset that comes last of all.
    """
    rows, double, subsets = [], set(), {}
    for stem, groups in SCORED.items():
        path = raw / "results" / "raw" / f"{stem}.jsonl"
        if not path.is_file():
            say(f"  {path.name} is not there: no rows of {', '.join(groups.values())}")
            continue
        items: dict[str, list[list[str]]] = {}
        for item, subset, scores in filter(None, read(path, partial(_scores, groups=groups))):
            double |= {item} & items.keys()
            subsets[item], items[item] = subset, scores
        rows += [scores for item in items.values() for scores in item]
    if not rows:
        raise DataError(f"{raw}: none of the files of scores is there. {AGAIN}.")
    if double:
        say(f"  {len(double)} numbers stand for two items; the last one is kept: {', '.join(sorted(double)[:5])} ...")
    table = pd.DataFrame(rows, columns=["id", "judge", "chosen", "rejected1", "rejected2", "rejected3"])
    table.insert(1, "subset", table["id"].map(subsets))
    return {"tidy.csv.gz": table}


def mmlu_redux(raw: Path, say: Say = print) -> Tables:
    """MMLU-Redux: experts' labels and repaired keys from the subjects' files, answers of models from all.csv.

    all.csv holds the subjects in alphabetical order; the rows of both must agree in question and choices.
    """
    path = raw / "outputs" / "multi_expert_helm" / "all.csv"
    answers = numbered_rows(path)
    start = list(answers[0][1]) if answers else []
    if "error_type" not in start or "majority_llm_pred_top_3" not in start:
        raise DataError(f"{path}, row 1: no columns error_type and majority_llm_pred_top_3. {AGAIN}.")
    models = start[start.index("error_type") + 1 : start.index("majority_llm_pred_top_3")]
    experts = [
        (file, number, row, file.stem.removeprefix("mmlu_"))
        for file in files_by_name(raw / "mmlu_redux", "mmlu_*.csv")
        for number, row in numbered_rows(file)
    ]
    if len(experts) != len(answers):
        raise DataError(f"{path}: {len(answers)} rows, and {len(experts)} in the subjects' files. Fetch them again.")
    rows = []
    for at, ((number, row), (file, line, expert, subject)) in enumerate(zip(answers, experts)):
        if row["question"] != expert["question"]:
            raise DataError(problem(path, number, "question", f"not the question of {file.name}, row {line}", "Fetch"))
        if row["groundtruth_answer"] not in ("0", "1", "2", "3"):
            raise DataError(problem(path, number, "groundtruth_answer", "not 0 to 3", AGAIN))
        rows.append(
            [f"{subject}/{at:03d}", subject, row["error_type"], "ABCD"[int(row["groundtruth_answer"])]]
            + [_repaired(expert.get("correct_answer", "")) if row["error_type"] != "ok" else ""]
            + [row[model][:1] for model in models]
        )
    texts = pd.Series([row["question"] + row["choices"] for _, row in answers])
    if texts.duplicated().any():
        say(f"  {int(texts.duplicated().sum())} questions stand twice with the same choices")
    columns = ["item", "subject", "error_type", "original_key", "repaired_keys", *models]
    return {"tidy.csv.gz": pd.DataFrame(rows, columns=columns)}


def agent_outcomes(raw: Path, say: Say = print) -> Tables:
    """Which system solved which task: items sorted, systems by their share solved."""
    tables = {}
    for place, name in RESPONSES.items():
        path = raw / "data" / place
        if not path.is_file():
            say(f"  data/{place} is not there: no {name}")
            continue
        tables[name] = _by_share(pd.DataFrame(dict(read(path, _responses))).sort_index(), "item")
    if not tables:
        raise DataError(f"{raw / 'data'}: none of the files of responses is there. {AGAIN}.")
    return tables


def zeroeval(raw: Path, say: Say = print) -> Tables:
    """Right or wrong, marked again by program: the reply's JSON answer against the key."""
    tables = {}
    for dataset, name in GRADED.items():
        columns, order = {}, dict[str, None]()
        for path in files_by_name(raw / "result_dirs" / dataset, "*.json"):
            columns[path.stem] = marks = dict(read(path, _graded))
            order |= dict.fromkeys(marks)
        if columns:
            tables[name] = _by_share(pd.DataFrame(columns).reindex(list(order)), "id")
    if not tables:
        raise DataError(f"{raw / 'result_dirs'}: no results. {AGAIN}.")
    return tables


def llmbar(raw: Path, say: Say = print) -> Tables:
    """Verdicts on pairs in both orders; that of the second order already names the output, not the place.

    A prompt of several stages ends with its verdict: with Swap and Swap_CoT the judge is shown both of its first
    verdicts where they conflict, and decides again.
    """
    top, rows = raw / "Dataset" / "LLMBar", []
    for path in sorted(top.rglob("result.json"), key=lambda path: path.as_posix()):
        subset, _, rest = path.relative_to(top).as_posix().partition("/evaluators/")
        judge, prompt = rest.split("/")[:2]
        if prompt not in PROMPTS:
            continue
        rows += [[subset, str(at), judge, prompt, *found] for at, found in enumerate(read(path, _winners))]
    if not rows:
        raise DataError(f"{top}: no results of evaluators. {AGAIN}.")
    columns = ["subset", "item", "judge", "prompt", "label", "winner_order1", "winner_order2_mapped"]
    return {"tidy.csv.gz": pd.DataFrame(rows, columns=columns)}


def token_probability(raw: Path, say: Say = print) -> Tables:
    """Probability of the answer's first token (four digits) and right or wrong; unparseable replies are left out."""
    rows, left_out = [], 0
    for path in files_by_name(raw / "main_results", "*.txt"):
        named = _PROBABILITIES.fullmatch(path.stem)
        if not named or named[5] not in _WANTED_PROMPT:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        if not lines or lines[0].split() != ["grade", "confidence_level"]:
            raise DataError(problem(path, 1, None, "not the header `grade confidence_level`", "Fetch it again"))
        for number, line in enumerate(lines[1:], 2):
            grade, _, value = line.partition(" ")
            if grade not in ("Correct", "Wrong", "Unparseable"):
                raise DataError(problem(path, number, None, f"{grade!r} is not Correct or Wrong", "Fetch it again"))
            if grade == "Unparseable":
                left_out += 1
                continue
            try:
                probability = round(float(value), 4)
            except ValueError:
                raise DataError(problem(path, number, None, f"{value!r} is no number", "Fetch it again")) from None
            rows.append((named[1], named[2], int(named[3]) + number - 2, int(grade == "Correct"), probability))
    if not rows:
        raise DataError(f"{raw / 'main_results'}: no results of the three models. {AGAIN}.")
    say(f"  {left_out} unparseable replies are left out")
    columns = ["dataset", "model", "item", "correct", "max_softmax_prob"]
    return {"tidy.csv.gz": pd.DataFrame(sorted(rows), columns=columns)}


IMPORTERS: dict[str, Callable[..., Tables]] = {
    "judge_scores": judge_scores,
    "hle_runs": hle_runs,
    "hle_repairs": hle_repairs,
    "hle_answers": hle_answers,
    "mmlu_redux": mmlu_redux,
    "agent_outcomes": agent_outcomes,
    "zeroeval": zeroeval,
    "llmbar": llmbar,
    "token_probability": token_probability,
    "open_proofs": proofs.open_proofs,
    "broken_math": proofs.broken_math,
    "livebench": boards.livebench,
    "mmlu_pro": boards.mmlu_pro,
    "erdos": erdos.erdos,
    "erdos_attempts": erdos.erdos_attempts,
}


def _scores(row: dict, groups: dict[str, str]) -> tuple[str, str, list[list[str]]] | None:
    """(item, subset, for each judge: item, judge, eight scores of each of four candidates); None: it was refused."""
    if row.get("refused"):
        return None
    item = str(cell(row, "id"))
    return (
        item,
        cell(row, "subset"),
        [[item, judge, *_letters(row, f"{group}_scores")] for group, judge in groups.items()],
    )


def _letters(row: dict, column: str) -> list[str]:
    """Eight scores of each of four candidates as strings."""
    scores = cell(row, column)
    if not isinstance(scores, list) or [len(each) for each in scores] != [8] * 4:
        raise Wrong(column, "not four candidates with eight scores", AGAIN)
    allowed = {None: ".", 10: "A"} | {score: str(score) for score in range(1, 10)}
    try:
        return ["".join(allowed[score] for score in each) for each in scores]
    except (KeyError, TypeError):
        raise Wrong(column, "a score that is not 1 to 10", AGAIN) from None


def _winners(row: dict) -> list[str]:
    """The label of a pair, and the winner in each order."""
    results = cell(row, "results")
    try:
        winners = [str(results[-1][f"swap = {swap}"]["winner"]) for swap in (False, True)]
    except (KeyError, IndexError, TypeError):
        raise Wrong("results", "no winner in both orders", AGAIN) from None
    return [str(cell(row, "label")), *winners]


def _repaired(text: str) -> str:
    """Letters of the repaired keys, which experts wrote as letters or as 0 to 3, among other words."""
    letters = {mark if mark.isalpha() else "ABCD"[int(mark)] for mark in _KEY.findall(text)}
    return "".join(sorted(letters))


def _responses(row: dict) -> tuple[str, dict[str, str]]:
    """A system and its outcome of each item."""
    outcomes = {item: _outcome(item, value) for item, value in cell(row, "responses").items()}
    return cell(row, "subject_id"), outcomes


def _outcome(item: str, value) -> str:
    if isinstance(value, dict):
        successes, trials = value.get("successes"), value.get("trials")
        if isinstance(successes, int) and isinstance(trials, int) and 0 <= successes <= trials and trials > 0:
            return f"{successes}/{trials}"
    elif value in (0, 1):
        return str(int(value))
    raise Wrong("responses", f"{item} is {value!r}, no outcome", AGAIN)


def _by_share(cells: pd.DataFrame, index: str) -> pd.DataFrame:
    """The columns by falling share of successes, ties as they came; missing cells blank."""
    shares = cells.map(_share, na_action="ignore").astype(float).mean()
    order = shares.sort_values(ascending=False, kind="stable").index
    return cells[order].fillna("").rename_axis(index).reset_index()


def _share(cell: str) -> float:
    successes, _, trials = cell.partition("/")
    return int(successes) / int(trials or 1)


def _graded(row: dict) -> tuple[str, str]:
    """An item, and 1 or 0: whether its reply gives the key."""
    item, output = cell(row, "id"), cell(row, "output")
    if not isinstance(output, list) or not output:
        raise Wrong("output", "no reply", AGAIN)
    return item, str(int(_same_answer(_json_answer(str(output[0])), str(cell(row, "answer")))))


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
    one, other = (re.sub(r"[$%\\\s]|,(?=\d{3})", "", text) for text in (answer, key))
    if not one:
        return False
    a, b = number_of(one), number_of(other)
    if a is not None and b is not None:
        return abs(a - b) < 1e-6
    try:
        return ast.literal_eval(answer) == ast.literal_eval(key)
    except (ValueError, SyntaxError):
        return one.lower() == other.lower()
