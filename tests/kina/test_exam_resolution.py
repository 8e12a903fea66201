import numpy as np
import pytest
from proctor.kina import exam_resolution
from proctor.stats.power import items_needed

SETTINGS = dict(samples=4, difficulty_sd=2.0, interaction_sd=1.0)


def test_smallest_gap_is_seen_with_the_planned_chance_in_mcnemars_setting():
    n, differ = 899, 0.2
    gap = float(exam_resolution.smallest_gap(n, differ)) / 100
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n, [(differ + gap) / 2, (differ - gap) / 2, 1 - differ], 4000)
    error = np.sqrt(differ - gap**2) / np.sqrt(n)
    seen = (drawn[:, 0] - drawn[:, 1]) / n > 1.96 * error
    assert seen.mean() == pytest.approx(0.8, abs=0.03)


def test_smallest_gap_needs_its_own_number_of_items():
    gap = float(exam_resolution.smallest_gap(500, 0.5)) / 100
    assert items_needed(gap, np.sqrt(0.5 - gap**2)) == pytest.approx(500, abs=1)


def test_most_differing_is_the_inverse():
    assert exam_resolution.most_differing(exam_resolution.smallest_gap(899, 0.3), 899) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="share from 0.5"):
        exam_resolution.smallest_gap(899, 0.3, power=80)


def test_printed_gaps_are_those_of_the_papers_tables():
    gaps = exam_resolution.printed_gaps().set_index(["exam", "gap"])
    assert gaps.index.get_level_values("exam").unique().tolist() == ["UQ", "KINA", "HLE", "HLE-Verified"]
    lead = gaps.loc[("KINA", 3.25)]
    assert (lead["upper"], lead["items"]) == ("Gemini-3.1-Pro-Preview", 899)
    assert lead["agree"] == pytest.approx(100 - 100 * 0.0325**2 * (899 / 7.8489 + 1), abs=0.01)
    assert gaps.loc[("HLE", 2.9), "seen"] == "in any case"  # at 9 and 6 % models agree on most items anyway
    assert gaps.loc[("KINA", 1.37), "agree"] > 97
    assert (gaps["seen"] == "in any case").sum() == 2


def test_pairs_of_exams_have_the_gap_and_show_it_as_planned():
    dealt = exam_resolution.pair_exams(0.0325, 899, 200, np.random.default_rng(0), **SETTINGS)
    assert dealt.shape == (200, 899) and dealt.mean() == pytest.approx(0.0325, abs=0.003)
    assert exam_resolution.shown(dealt).mean() == pytest.approx(0.8, abs=0.12)
    assert not exam_resolution.shown(-dealt).any()


def test_spread_is_the_median_over_neighbours():
    rng = np.random.default_rng(0)
    exams = rng.binomial(1, 0.5, (3, 5, 400)).astype(float)
    assert exam_resolution.spreads(exams) == pytest.approx(np.full(3, np.sqrt(0.5)), abs=0.05)


def test_looking_often_fools_1_96_and_not_the_corridor():
    null = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (2000, 500))
    one, five = (
        {
            rule: 100 * exam_resolution.named_winner(null, rule, looks).mean()
            for rule in (exam_resolution.EACH_LOOK, exam_resolution.CORRIDOR)
        }
        for looks in (1, 5)
    )
    assert one[exam_resolution.EACH_LOOK] == one[exam_resolution.CORRIDOR]
    assert five[exam_resolution.EACH_LOOK] > 11 and abs(five[exam_resolution.CORRIDOR] - 5) < 2


def test_large_gaps_stop_early_and_are_rarely_wrong():
    rng = np.random.default_rng(0)
    ended = {
        gap: exam_resolution.stop_early(
            rng.choice([1.0, 0.0, -1.0], (300, 500), p=[0.2 + gap / 100, 0.6, 0.2 - gap / 100]), 5
        )
        for gap in (0, 10)
    }
    assert ended[10].asked.mean() < ended[0].asked.mean()
    assert ended[10].settled.mean() > 0.99 > 0.95 > ended[0].settled.mean() and not ended[10].wrong.any()


def test_chosen_items_rank_better_where_items_differ_in_sharpness():
    accuracy = np.linspace(0.6, 0.3, 16)
    sharp = dict(samples=4, difficulty_sd=2.0, discrimination_sd=1.0)
    tau, recovered = exam_resolution.few_items_by_board(accuracy, [25, 899], 3, 0, **sharp)
    assert tau.shape == (3, 3, 2) and recovered.shape == (3, 3)
    assert tau[:, 0, 0].mean() > tau[:, 2, 0].mean() and np.allclose(tau[:, :, 1], tau[:, :1, 1])
    assert (recovered[:, :2] > 0.7).all()
