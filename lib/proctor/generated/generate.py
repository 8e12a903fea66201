"""Questions with exact answers, drawn from 27 families at three levels, by seed.

`python -m proctor.generated.generate` rewrites data/questions/families_v2.jsonl and families_v3.jsonl, which are
committed: recorded replies belong to their questions, so a change to a family needs a new version and a new file.
families-v2 has the nine families of `worked_families`, families-v3 the eighteen of `more_families`; the solutions of
all take one operation a step.
"""

import json
import zlib
from collections.abc import Collection, Iterable

import numpy as np

from proctor.data.schemas import LETTERS, Question
from proctor.files import write_atomic
from proctor.generated.more_families import MORE_FAMILIES
from proctor.generated.worked import WRONG_SOLUTIONS, Problem, Slip, number_options, some, spoil, written
from proctor.generated.worked_families import WORKED_FAMILIES
from proctor.paths import QUESTIONS

VERSIONS = {"families-v2": WORKED_FAMILIES, "families-v3": MORE_FAMILIES}
FAMILIES = WORKED_FAMILIES | MORE_FAMILIES
# Nothing of a worked solution carries over to other numbers; in the other families a method does, by design.
NOTHING_CARRIES_OVER = ("long_sum", "letter_count", "ledger", "machine", "letter_values", "word_lengths")
COMMITTED = {"families-v2": 12, "families-v3": 9}  # questions a level in the committed file of each version
SEED = 20261121
NEIGHBOURS = 3


def generate(
    seed: int = SEED,
    per_level: int = 6,
    families: Iterable[str] | None = None,
    levels: Iterable[int] = (1, 2, 3),
) -> list[Question]:
    """Draw `per_level` questions for each family and level, each with neighbours, solutions and ten options.

    Every (family, level, index) has its own random stream, so asking for more questions, other families or other
    levels leaves the ones that were there unchanged. No text occurs twice. Raises ValueError for an unknown
    family or level, and when a family has no more different questions to give.
    """
    names, levels = list(FAMILIES if families is None else families), list(levels)
    for name in names:
        if name not in FAMILIES:
            raise ValueError(f"family {name!r} is unknown: choose from {', '.join(FAMILIES)}")
    if per_level < 0 or sorted(set(levels) & {1, 2, 3}) != sorted(levels):
        raise ValueError(f"per_level {per_level}, levels {levels}: give a count >= 0 and different levels from 1, 2, 3")
    questions = []
    for name in names:
        for level in levels:
            seen: set[str] = set()
            questions += [draw_question(name, level, index, seed, seen) for index in range(per_level)]
    return questions


def draw_question(name: str, level: int, index: int, seed: int, seen: set[str] | None = None) -> Question:
    """One question of a family and level, from its own random stream; its texts are none of `seen`, and join them."""
    seen = set() if seen is None else seen
    # The name's checksum, not its place in a list: a family added later moves nobody's stream.
    spawn_key = (zlib.crc32(name.encode()), level, index)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))
    problem, slips, texts = _fresh(name, level, rng, seen)
    answer, wrong = str(problem.answer), slips[0]
    # A neighbour with the same answer as the exemplar could be solved by copying it.
    near = [_fresh(name, level, rng, seen, {problem.answer, wrong.answer})[0] for _ in range(NEIGHBOURS)]
    options = some(rng, texts, len(texts))
    right = f"{written(problem.lines)} The answer is {answer}."
    extra = {
        "right": right,
        "right_again": written(problem.lines, again=True),
        "wrong": f"{written(wrong.lines)} The answer is {wrong.answer}.",
        "wrong_answer": str(wrong.answer),
        "wrong_method": wrong.kind,
        "wrongs": [
            {"solution": written(slip.lines), "answer": str(slip.answer), "slip": slip.kind, "step": slip.at}
            for slip in slips
        ],
        "lucky": f"{written(wrong.lines)} The answer is {answer}.",
        "neighbours": [{"question": other.question, "answer": str(other.answer)} for other in near],
        "options": options,
        "letter": LETTERS[options.index(texts[0])],
        "wrong_letter": LETTERS[options.index(texts[1])],
        "options_question": problem.question,
    }
    return Question(
        id=f"{name}-{level}-{index + 1:02d}",
        question=problem.question,
        answer=answer,
        answer_type="exactMatch",
        category=name,
        cluster=name,
        level=level,
        rationale=right,
        source=next(version for version, known in VERSIONS.items() if name in known),
        extra=extra,
    )


def _fresh(
    name: str, level: int, rng: np.random.Generator, seen: set[str], avoid: Collection[int] = ()
) -> tuple[Problem, list[Slip], tuple[str, ...]]:
    """The next new problem of a family, wrong solutions of it of different answers, and ten options as texts: the right
    answer first and that of the first wrong solution second."""
    tried = 0
    while tried < 2000:
        problem = FAMILIES[name](level, rng)
        slips = [] if problem is None else spoil(problem, rng, WRONG_SOLUTIONS)
        if problem is None or len(slips) < WRONG_SOLUTIONS:
            continue
        options, tried = number_options(problem.answer, slips[0].answer, rng), tried + 1
        if problem.question not in seen and problem.answer not in avoid:
            seen.add(problem.question)
            return problem, slips, options
    raise ValueError(f"family {name!r}, level {level}: nothing new in 2000 draws after {len(seen)}; lower per_level")


def questions_as_jsonl(questions: Iterable[Question]) -> str:
    """One question a line, keys sorted: the same questions give the same bytes."""
    lines = (json.dumps(q.model_dump(mode="json", exclude_unset=True), sort_keys=True) for q in questions)
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    for version, per_level in COMMITTED.items():
        questions = generate(per_level=per_level, families=VERSIONS[version])
        path = QUESTIONS / f"{version.replace('-', '_')}.jsonl"
        write_atomic(path, questions_as_jsonl(questions))
        print(f"{len(questions)} questions ({len(VERSIONS[version])} families, 3 levels) written to {path.name}")
