import numpy as np
import pytest
from proctor.stats import bootstrap
from proctor.stats.ranking import compare_boards
from scipy import stats


def exam(truth, n_items, rng):
    """Scores 0/1 on sampled items, a part of whose difficulty is the same for all models; chances exactly `truth`."""
    trouble = (rng.standard_normal(n_items) + rng.standard_normal((len(truth), n_items))) / np.sqrt(2)
    return (trouble < stats.norm.ppf(truth)[:, None]).astype(float)


def test_comparison_agrees_with_a_slow_loop():
    rng = np.random.default_rng(0)
    a, b = exam([0.3, 0.5, 0.55], 60, rng), exam([0.6, 0.5, 0.5], 90, rng)
    found = compare_boards(a, b, np.random.default_rng(1), 300)
    again = np.random.default_rng(1)
    one, two = (bootstrap.resample_means(scores, 300, again).astype(float) for scores in (a, b))
    pairs, change, error, moved = [(0, 1), (0, 2), (1, 2)], [], [], []
    for x, y in pairs:
        change.append((a[x] - a[y]).mean() - (b[x] - b[y]).mean())
        values = [(one[x, r] - one[y, r]) - (two[x, r] - two[y, r]) for r in range(300)]
        error.append(np.std(values))
        moved.append(np.abs(np.array(values) - change[-1]) / error[-1])
    critical = np.quantile(np.max(moved, axis=0), 0.95)
    assert found.critical == pytest.approx(critical, rel=1e-4)
    assert found.largest == pytest.approx(max(abs(c) / e for c, e in zip(change, error)), rel=1e-4)
    for (x, y), c, e in zip(pairs, change, error):
        assert found.differ[x, y] == found.differ[y, x] == (abs(c) / e > critical)
    assert found.differ[0, 1] and found.differ[0, 2] and not found.differ[1, 2]
    assert found.swapped == sum((a[x] - a[y]).mean() * (b[x] - b[y]).mean() < 0 for x, y in pairs)
    assert found.tau == pytest.approx(stats.kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic) and found.pairs == 3


def test_two_exams_of_the_same_models_rarely_differ():
    rng, truth = np.random.default_rng(2), np.linspace(0.4, 0.5, 6)
    found = [compare_boards(exam(truth, 150, rng), exam(truth, 150, rng), rng, 250) for _ in range(400)]
    wrong = np.mean([one.differ.any() for one in found])
    assert 0.01 < wrong < 0.09  # 5 % wanted, give or take almost four standard errors
    assert np.mean([one.swapped for one in found]) > 2  # and yet they look different


def test_a_model_that_really_changed_is_found():
    rng, truth = np.random.default_rng(3), np.array([0.4, 0.45, 0.5, 0.55])
    found = compare_boards(exam(truth, 600, rng), exam(truth + [0.25, 0, 0, 0], 600, rng), rng, 400)
    assert found.differ[0, 1:].all() and not found.differ[1:, 1:].any() and found.largest > found.critical


def test_clusters_are_drawn_whole_and_make_it_more_careful():
    rng, labels = np.random.default_rng(4), np.arange(200) // 10
    a, b = (np.repeat(exam([0.3, 0.5], 20, rng), 10, axis=1) for _ in range(2))
    by_item, by_cluster = (
        compare_boards(a, b, np.random.default_rng(0), 400, clusters=(which, which)) for which in (None, labels)
    )
    assert by_cluster.largest < by_item.largest / 2


def test_a_board_is_no_different_from_itself():
    a = exam([0.2, 0.4, 0.9], 50, np.random.default_rng(5))
    found = compare_boards(a, a, np.random.default_rng(0), 100)
    assert found.tau == 1 and found.swapped == 0 and not found.differ.any() and found.largest == 0


def test_changes_that_never_vary_are_not_counted():
    found = compare_boards([[1.0, 1], [0, 0]], [[0.0, 0, 0], [1, 1, 1]], np.random.default_rng(0), 50)
    assert not found.differ.any() and found.swapped == 1 and found.tau == -1


@pytest.mark.parametrize(
    "first, second, words",
    [(np.ones((2, 3)), np.ones((3, 3)), "lengths differ"), (np.ones((1, 3)), np.ones((1, 3)), "one model")],
)
def test_boards_of_other_models_are_refused(first, second, words):
    with pytest.raises(ValueError, match=words):
        compare_boards(first, second, np.random.default_rng(0))
