"""Which of your items represent their field: the example's shares, from its texts by plain Python."""

import json
import math
import re
from collections import Counter

import pandas as pd
import pytest
from proctor import paths

NAME = "kina/your_coverage"


def test_shares_are_those_of_cosines_counted_word_by_word(read):
    lines = (paths.ROOT / "data/examples/exam_questions.jsonl").read_text().splitlines()
    texts = {row["id"]: re.findall(r"\w+", row["question"].casefold()) for row in map(json.loads, lines)}
    terms = {name: Counter(words) + Counter(zip(words, words[1:])) for name, words in texts.items()}
    within = Counter(term for counts in terms.values() for term in counts)
    rarity = {term: 1 + math.log((1 + len(terms)) / (1 + seen)) for term, seen in within.items()}
    weights = {name: {term: n * rarity[term] for term, n in counts.items()} for name, counts in terms.items()}

    def cosine(one, other):
        return (
            sum(weight * other.get(term, 0) for term, weight in one.items())
            / math.hypot(*one.values())
            / math.hypot(*other.values())
        )

    chosen = read("your_coverage_table")["item"].tolist()
    near = pd.DataFrame({name: [cosine(weights[name], other) for other in weights.values()] for name in chosen})
    reached = [near[chosen[: k + 1]].max(axis=1).mean() for k in range(len(chosen))]
    assert read("your_coverage_table")["reached"].to_numpy() == pytest.approx(reached)
