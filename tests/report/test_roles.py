from itertools import combinations

import pytest
from proctor.report.roles import OWN_MODELS, ROLES, marks, role, roles, short


def test_models_read_on_white_and_are_told_apart_in_grey(contrast):
    def lightness(colour):
        """CIE L*, from the contrast with black: (Y + 0.05) / 0.05."""
        return 116 * (contrast(colour, "#000000") * 0.05 - 0.05) ** (1 / 3) - 16

    colours = [model.colour for model in OWN_MODELS.values()]
    assert all(contrast(colour) >= 4.5 for colour in colours)
    assert all(abs(lightness(one) - lightness(other)) >= 12 for one, other in combinations(colours, 2))
    assert [model.marker for model in OWN_MODELS.values()] == ["o", "s", "^"]


def test_no_colour_means_two_things():
    colours = [each.colour for each in ROLES.values()]
    assert len(set(colours)) == len(colours)
    assert len({each.short for each in ROLES.values()}) == len(ROLES)


def test_names_are_short_in_one_way():
    names = ("smollm2-135m", "Qwen2.5-Coder-0.5B-Instruct", "qwen2.5-coder-1.5b", "o3", "paper")
    assert [short(name) for name in names] == ["135M", "0.5B", "1.5B", "o3", "paper"]
    assert role("Qwen2.5-Coder-0.5B-Instruct").marker == "s"
    with pytest.raises(ValueError, match="no role 'o3'"):
        role("o3")


def test_models_of_providers_have_short_names_and_looks_of_their_own():
    names = ["openai/gpt-5", "anthropic/claude-sonnet-4.6", "openai/m@http://127.0.0.1:8000/v1", "weights/my.gguf"]
    assert [short(name) for name in names] == ["gpt-5", "claude-sonnet-4.6", "m", "my"]
    assert len(short("openai/" + "long" * 20)) <= 18
    looks = [role(name) for name in names]
    assert len({look.colour for look in looks}) == 4 and role(names[0]) == looks[0]


def test_other_models_get_free_colours_in_a_stable_way():
    one, two = roles(["o3", "gpt-4o", "smollm2-135m"]), roles(["smollm2-135m", "gpt-4o", "o3", "o3"])
    assert one == two and one["smollm2-135m"] == ROLES["smollm2-135m"] and one["o3"].short == "o3"
    taken = {each.colour for each in ROLES.values()}
    eight = roles([f"m{i}" for i in range(8)])
    assert len({each.colour for each in eight.values()} | taken) == len(taken) + 8
    with pytest.raises(ValueError, match="label the points"):
        roles([f"m{i}" for i in range(9)])


@pytest.mark.parametrize(
    "evidence, expected",
    [
        *((kinds, {"markerfacecolor": "white"}) for kinds in ("published", "reconstructed", "published+reconstructed")),
        *((kinds, {}) for kinds in ("measured", "logged", "published + measured")),
        *((kinds, {"linestyle": "--"}) for kinds in ("simulated", "published + simulated")),
    ],
)
def test_marks_show_the_evidence(evidence, expected):
    assert marks(evidence) == expected
