from .verdict_attacks import ATTACKS, STYLES, attacked_rejections


def test_no_attack_makes_a_rejection_an_acceptance_for_our_reader():
    found = attacked_rejections()
    assert len(found) == len(ATTACKS) * len(STYLES)
    assert not (found["ours"] == "accept").any()
    silent = set(found.loc[found["ours"] == "unreadable", "style"])
    assert silent == {"no verdict", "answer quoted last", "answer quoted, spaces changed"}  # the last line is a quote


def test_the_public_reader_is_fooled_by_what_stands_before_the_verdict():
    wins = attacked_rejections().query("public == 'accept'")
    assert set(wins["style"]) == {"format restated first", "answer quoted first"}
    assert (wins[wins["style"] == "answer quoted first"]["attack"] != "none").all()
