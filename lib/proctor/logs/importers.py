"""From each source's own raw files to its tidy ones: the first importers, and what all of them share.

An importer gets the folder that holds the source's files at their paths in the repository, and returns {tidy file:
table}. It checks nothing: the commit in data/logs/sources.yaml holds every byte that it reads, and the digests there
every row that it makes.
"""

import ast
import json
import re
import zipfile
from collections.abc import Collection
from fractions import Fraction
from pathlib import Path

import pandas as pd

from proctor.data.schemas import LETTERS
from proctor.data.tabular import read

Tables = dict[str, pd.DataFrame]

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
_KEY = re.compile(r"(?<![\w.])([A-D0-3])(?![\w.:])")
_NO_LETTER = re.compile(r"[\W_]+")  # what items may differ in and be the same
_NAME = re.compile(r"model_outputs_(.+?)(?:_5-?shots)?(?:\.json)?\.zip")


def rows(path: Path) -> list[dict]:
    """The rows of a .json, .jsonl or .parquet."""
    return read(path, dict)


def csv_table(path: Path, **how) -> pd.DataFrame:
    """A CSV as text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False, **how)


def number_of(text: str) -> float | None:
    """The number that a text is; commas of thousands are left out. None: it is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def judge_scores(raw: Path) -> Tables:
    """Scores of judges: one row per item and judge, a candidate's eight scores as one string (A = 10, . = missing).

    The source counts its items anew in some subsets, so that about 40 numbers stand for two items. Of these the one
    that comes last in a file is kept, under the subset that comes last of all.
    """
    letters = {None: ".", 10: "A"} | {score: str(score) for score in range(1, 10)}
    kept, subsets = [], {}
    for stem, groups in SCORED.items():
        items: dict[str, list[list[str]]] = {}
        for row in rows(raw / "results" / "raw" / f"{stem}.jsonl"):
            if not row.get("refused"):
                item = str(row["id"])
                subsets[item], items[item] = row["subset"], []
                for group, judge in groups.items():
                    scores = ["".join(letters[score] for score in each) for each in row[f"{group}_scores"]]
                    items[item].append([item, judge, *scores])
        kept += [scores for item in items.values() for scores in item]
    found = pd.DataFrame(kept, columns=["id", "judge", "chosen", "rejected1", "rejected2", "rejected3"])
    found.insert(1, "subset", found["id"].map(subsets))
    return {"tidy.csv.gz": found}


def mmlu_redux(raw: Path) -> Tables:
    """MMLU-Redux: experts' labels and repaired keys from the subjects' files, answers of models from all.csv, which
    holds the subjects in alphabetical order."""
    answers = csv_table(raw / "outputs" / "multi_expert_helm" / "all.csv")
    # A subject's file may have been written with semicolons, or in another encoding.
    how = dict(sep=None, engine="python", encoding_errors="replace")
    experts = {file.stem.removeprefix("mmlu_"): csv_table(file, **how) for file in (raw / "mmlu_redux").glob("*.csv")}
    subjects = [subject for subject in sorted(experts) for _ in range(len(experts[subject]))]
    repaired = pd.concat([experts[subject]["correct_answer"] for subject in sorted(experts)]).fillna("")
    about = pd.DataFrame(
        {
            "item": [f"{subject}/{at:03d}" for at, subject in enumerate(subjects)],
            "subject": subjects,
            "error_type": answers["error_type"],
            "original_key": answers["groundtruth_answer"].map(dict(zip("0123", "ABCD"))),
            "repaired_keys": [*map(_repaired, repaired, answers["choices"])],
        }
    )
    models = answers.loc[:, "error_type":"majority_llm_pred_top_3"].iloc[:, 1:-1]
    return {"tidy.csv.gz": about.join(models.apply(lambda replies: replies.str[:1]))}


def _repaired(text: str, choices: str) -> str:
    """Letters of the repaired keys, which experts wrote as letters, as 0 to 3, or as the text of a choice."""
    marks = _KEY.findall(text) if len(text) < 13 else []  # a longer text is a remark
    if not marks and f"'{text}'" in choices:
        marks = [str(ast.literal_eval(choices).index(text))]
    return "".join(sorted({mark if mark.isalpha() else "ABCD"[int(mark)] for mark in marks}))


def agent_outcomes(raw: Path) -> Tables:
    """Which system solved which task, 1 or 0, or successes/trials where there are several runs: items sorted, systems
    by their share solved, ties as they came."""
    tables = {}
    for place, name in RESPONSES.items():
        if (path := raw / "data" / place).is_file():
            cells = pd.DataFrame({row["subject_id"]: row["responses"] for row in rows(path)}).sort_index()
            cells = cells.map(_outcome, na_action="ignore")
            tables[name] = _by_share(cells.sort_index(axis=1) if "trials" in name else cells, "item")
    return tables


def _outcome(outcome: dict | float) -> str:
    return f"{outcome['successes']}/{outcome['trials']}" if isinstance(outcome, dict) else str(int(outcome))


def _by_share(cells: pd.DataFrame, index: str) -> pd.DataFrame:
    """The columns by falling share of successes, ties as they came; missing cells blank."""
    shares = cells.map(lambda cell: float(Fraction(cell)), na_action="ignore").astype(float).mean()
    order = shares.sort_values(ascending=False, kind="stable").index
    return cells[order].fillna("").rename_axis(index).reset_index()


def zeroeval(raw: Path) -> Tables:
    """Right or wrong, marked again by program: the reply's JSON answer against the key."""
    tables: Tables = {}
    for dataset, name in GRADED.items():
        columns, order = {}, dict[str, None]()
        for path in sorted((raw / "result_dirs" / dataset).glob("*.json")):
            marks = {}
            for row in rows(path):
                same = _same_answer(_json_answer(str(row["output"][0])), str(row["answer"]))
                marks[row["id"]] = str(int(same))
            columns[path.stem] = marks
            order |= dict.fromkeys(marks)
        tables |= {name: _by_share(pd.DataFrame(columns).reindex(list(order)), "id")} if columns else {}
    return tables


def llmbar(raw: Path) -> Tables:
    """Verdicts on pairs in both orders; that of the second order already names the output, not the place.

    A prompt of several stages ends with its verdict: with Swap and Swap_CoT the judge is shown both of its first
    verdicts where they conflict, and decides again.
    """
    top, found = raw / "Dataset" / "LLMBar", []
    for path in sorted(top.rglob("result.json"), key=lambda path: path.as_posix()):
        subset, _, rest = path.relative_to(top).as_posix().partition("/evaluators/")
        judge, prompt = rest.split("/")[:2]
        for item, row in enumerate(rows(path) if prompt in PROMPTS else ()):
            winners = [str(row["results"][-1][f"swap = {swap}"]["winner"]) for swap in (False, True)]
            found.append([subset, str(item), judge, prompt, str(row["label"]), *winners])
    columns = ["subset", "item", "judge", "prompt", "label", "winner_order1", "winner_order2_mapped"]
    return {"tidy.csv.gz": pd.DataFrame(found, columns=columns)}


def token_probability(raw: Path) -> Tables:
    """Probability of the answer's first token (four digits) and right or wrong; unparseable replies are left out."""
    parts = []
    for path in sorted((raw / "main_results").glob("*.txt")):
        named = _PROBABILITIES.fullmatch(path.stem)
        if named and named[5] in _WANTED_PROMPT:
            part = csv_table(path, sep=" ").reset_index(names="place")
            parts.append(part.assign(dataset=named[1], model=named[2], item=part["place"] + int(named[3])))
    found = pd.concat(parts, ignore_index=True).query("grade != 'Unparseable'")
    found = found.assign(
        correct=(found["grade"] == "Correct").astype(int),
        max_softmax_prob=found["confidence_level"].map(lambda cell: round(float(cell), 4)),
    )
    return {"tidy.csv.gz": found[["dataset", "model", "item", "correct", "max_softmax_prob"]]}


def mmlu_pro(raw: Path, only: Collection[str] = ()) -> Tables:
    """MMLU-Pro: each model's letters, marked by the key in its own file, and the lengths of its replies.

    An unread reply has letter "-" and is wrong. Where files differ on an item (33 keys, 7 numbers of options), `keys`
    holds all letters; the rest is taken from the first file, capitals first. twin_of: an earlier item of the same
    question (letters and digits) and right option, in any file. reply_length: characters divided by ten, of the items
    that all models have. only: the models to read, all where none is named.
    """
    named = {found[1]: path for path in (raw / "eval_results").glob("*.zip") if (found := _NAME.fullmatch(path.name))}
    models = sorted(only or named)
    answers = pd.concat({model: read_letters(named[model]) for model in models}, names=["model"])
    answers = answers.reset_index("model").assign(mark=(answers["letter"] == answers["key"]).astype(int).to_numpy())
    about = answers.drop_duplicates("item").set_index("item").sort_index()
    by_item = answers.groupby("item")
    keys = by_item["key"].agg(lambda letters: "".join(sorted({*letters})))
    common = by_item.size() == len(models)
    twin = about["text"].map(answers.groupby("text")["item"].min())
    about = about[["category", "options", "source"]].assign(
        common=common.astype(int), twin_of=twin.astype(str).where(twin != about.index, "")
    )
    wide = {name: _wide(answers, name, models) for name in ("mark", "letter", "length")}
    tables = {
        "tidy.csv.gz": about.join(wide["mark"]),
        "letters.csv.gz": keys.to_frame("keys").join(wide["letter"]),
        "reply_length.csv.gz": wide["length"][common],
    }
    return {name: found.reset_index().astype(str) for name, found in tables.items()}


def _wide(answers: pd.DataFrame, column: str, models: list[str]) -> pd.DataFrame:
    """Item x model, the models in the order of the alphabet, ignoring case; blank where a model lacks the item."""
    cells = answers.assign(cell=answers[column].astype(str)).pivot(index="item", columns="model", values="cell")
    return cells[sorted(models, key=str.lower)].fillna("")


def read_letters(path: Path) -> pd.DataFrame:
    """A model's answers, from the zip with its JSON array; the loose words between them are left out.

    An answer: item, category, options (their number), source, key and letter ("-" for a reply that the source could
    not read), length (characters of the reply, divided by ten), text (the question's letters, and the right option).
    """
    with zipfile.ZipFile(path) as archive:
        [inside] = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
        entries = json.loads(archive.read(inside))
    return pd.DataFrame([_answer(entry) for entry in entries if isinstance(entry, dict)])


def _answer(row: dict) -> dict:
    """One reply of a model to an item of MMLU-Pro."""
    reply = row["model_outputs"] if "model_outputs" in row else row["generated_text"]
    right = row["options"][LETTERS.index(row["answer"])]
    return {
        "item": row["question_id"],
        "category": row["category"],
        "options": len(row["options"]),
        "source": row["src"],
        "key": row["answer"],
        "letter": row["pred"] or "-",
        "length": round(len(reply) / 10),
        "text": f"{_NO_LETTER.sub('', row['question'].lower())}\n{right}",
    }


def livebench(raw: Path) -> Tables:
    """LiveBench: scores from 0 to 1 with at most four digits, and the answers that stand twice.

    Of two answers of one model to one question the board keeps the earlier; retests: both, with the days of their
    marking (UTC). Models in the order of the alphabet, ignoring case.
    """
    scores = read_scores(raw / "examples" / "data" / "livebench_13012025.parquet")
    scores = scores.sort_values(["category", "task", "id", "time"], kind="stable", ignore_index=True)
    again = scores.duplicated(["id", "model"])
    first = scores[~again]
    about = first.drop_duplicates("id")[["id", "category", "task"]].set_index("id")
    wide = first.pivot(index="id", columns="model", values="score").reindex(about.index).fillna("")
    wide = wide[sorted(wide, key=str.lower)]
    second = scores[again][["id", "model", "score", "day"]]
    both = first.merge(second, on=["id", "model"], suffixes=("", "_2"), validate="one_to_one")
    both = both.rename(columns=dict(score="first", score_2="second", day="first_date", day_2="second_date"))
    columns = ["id", "category", "task", "model", "first", "second", "first_date", "second_date"]
    retests = both.sort_values(["model", "category", "task", "id"])[columns]
    return {"tidy.csv.gz": about.join(wide).reset_index(), "retests.csv.gz": retests}


def read_scores(path: Path) -> pd.DataFrame:
    """One row per marked answer of LiveBench: id, category, task, model, score (text), time (seconds), day (UTC)."""
    found = pd.read_parquet(path).rename(columns={"question_id": "id", "tstamp": "time"})
    day = pd.to_datetime(found["time"], unit="s").dt.strftime("%Y-%m-%d")
    found = found.assign(score=[f"{round(score, 4):g}" for score in found["score"]], day=day)
    return found[["id", "category", "task", "model", "score", "time", "day"]]


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
