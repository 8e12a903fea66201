"""The notebook on the paper's cases, run once with params/quick.yaml; what it leaves in figures/."""

import numpy as np

NAME = "hle_verified/2_cases"


def test_the_sizes_of_the_join_are_all_that_a_search_over_every_size_finds(claims_made):
    a, b = np.meshgrid(np.arange(1, 465), np.arange(1, 465))
    found = 0
    for buffer in range(3, 103):
        cost = np.minimum(a + np.ceil(a / (buffer - 2)) * b, b + np.ceil(b / (buffer - 2)) * a)
        found += int(((cost == 465) & (a <= b)).sum())
    assert claims_made["hle_verified/2c_join_is_open"].n == found
