"""What wrong keys do to accuracy, ranking and calibration.

The model of noise: a share `wrong_keys` of the items, e below, carries a wrong key, whatever the answers are. On such
an item a right answer is scored wrong, and a wrong answer meets the wrong key with chance `wrong_key_match_rate`, h
below: 0 for free answers, 1 / (options - 1) for letters guessed evenly, up to 1 where models and the key share one
misconception. Then

    observed = a (1 - e) + (1 - a) e h = e h + (1 - e - e h) a        for a true accuracy a.

A noisy key is a judge with sensitivity 1 - e and specificity 1 - e h. All are shares in [0, 1]. Where flaws are
concentrated on some items (hard ones, say), the formula holds for each item's own chance and e, averaged over the items
(`observed_accuracy(chance, e).mean(-1)`), but no longer for the two means, and the order of two models may be reversed
(HLE-Verified, section 2.1).
"""

import numpy as np
from numpy.typing import ArrayLike

from proctor.stats.judge_error import pass_rate, shares


def observed_accuracy(accuracy: ArrayLike, wrong_keys: ArrayLike, wrong_key_match_rate: ArrayLike = 0.0) -> np.ndarray:
    """Accuracy that the noisy keys show, for true accuracies; the three broadcast."""
    accuracy = shares(accuracy, "accuracy")
    wrong_keys, wrong_key_match_rate = (
        shares(wrong_keys, "wrong_keys"),
        shares(wrong_key_match_rate, "wrong_key_match_rate"),
    )
    return pass_rate(accuracy, 1 - wrong_keys, 1 - wrong_keys * wrong_key_match_rate)
