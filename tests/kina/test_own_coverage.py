import itertools

import numpy as np
import pytest
from proctor.data.schemas import Question
from proctor.data.tabular import DataError
from proctor.kina import own_coverage
from proctor.kina.max_coverage import value


@pytest.fixture
def items():
    texts = ["red apples", "green apples", "ripe red apples", "a theorem on primes", "a theorem on graphs", "rain"]
    return [Question(id=f"i{n}", question=text, category="ab"[n > 2]) for n, text in enumerate(texts)]


def test_the_bound_holds_for_every_choice(items):
    choice = own_coverage.choose(items, 3, np.random.default_rng(0))
    whole = value(choice.proxy, range(6))
    best = max(value(choice.proxy, list(chosen)) for chosen in itertools.combinations(range(6), 3)) / whole
    assert choice.value <= best <= choice.bound + 1e-12 and choice.value >= 0.632 * best
    assert choice.random.max() <= best + 1e-12
    table = own_coverage.table(items, choice)
    assert table["reached"].iloc[-1] == pytest.approx(choice.value) and table["adds"].is_monotonic_decreasing


def test_quotas_and_given_similarities(items, tmp_path):
    choice = own_coverage.choose(items, 0, np.random.default_rng(0), quota=1)
    assert sorted(own_coverage.table(items, choice)["category"]) == ["a", "b"]
    file = tmp_path / "s.csv"
    names = [item.id for item in items]
    rows = [[names[i], *(1 if i in (j, 5) else 0 for j in range(6))] for i in range(6)]
    file.write_text("\n".join(",".join(map(str, row)) for row in [["item", *names], *rows]))
    choice = own_coverage.choose(items, 1, np.random.default_rng(0), similarity=file)
    assert own_coverage.table(items, choice)["item"].tolist() == ["i5"] and choice.value == 1
    file.write_text("item,i0\ni0,1\n")
    with pytest.raises(DataError, match="no row or column of item 'i0'"):
        own_coverage.read_similarity(file, names)


def test_texts_are_like_themselves_and_unlike_what_shares_no_word(items):
    near = own_coverage.text_similarity([item.question for item in items]).toarray()
    assert np.diag(near) == pytest.approx(1) and near[0, 3] == 0 and near[0, 2] > near[0, 1] > 0
