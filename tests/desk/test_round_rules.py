"""What `look` shows, on a protocol of two moves made here."""

from desk.round_rules import Cast, Field, Matter, Move, Outcome, Part, Protocol, Sees, look, when_closed

NOTE = (Field("text", "Text"),)
TOY = Protocol(
    name="toy", title="Toy", paper="none", about="", blind="", material={"text": "Text"}, needed=(),
    evidence={"votes": "Votes"},
    parts={"reader": Part("Reader"), "judge": Part("Judge", evidence=lambda matter: True)},
    moves=(Move("say", "reader", "Say", ("open",), lambda m, a: NOTE), Move("rule", "judge", "Rule", ("open",), lambda m, a: NOTE)),
    sees=(Sees("reader", "say", when_closed), Sees("judge", "say", lambda m, a, b: True)),
    decide=lambda m: Outcome("done" if m.cast("rule") else "open", bool(m.cast("rule")), {"Sum": "2"}, ("judge",)),
    table=list,
)  # fmt: skip


def matter(*ballots, closed=False):
    seats = {"ada": "reader", "bo": "reader", "cy": "judge"}
    cast = tuple(Cast(n, by, seats[by], move, {"text": f"by {by}"}) for n, (by, move) in enumerate(ballots, 1))
    return Matter(1, "olga", "dan", {"text": "it"}, {"votes": "3"}, {}, seats, cast, closed)


def seen(account, **more):
    view = look(TOY, matter(("ada", "say"), ("bo", "say"), **more), account)
    return [(one.who, one.form["text"]) for one in view.ballots]


def test_who_has_no_part_sees_nothing():
    assert look(TOY, matter(), "eve") is None and look(TOY, matter(), "") is None


def test_a_blind_reader_sees_the_own_ballot_and_at_the_end_all_without_names():
    assert seen("ada") == [("You", "by ada")]
    assert seen("ada", closed=True) == [("You", "by ada"), ("Reader 2", "by bo")]


def test_the_judge_reads_by_number_and_the_organizer_by_name():
    assert [who for who, _ in seen("cy")] == ["Reader 1", "Reader 2"]
    assert [who for who, _ in seen("olga")] == ["ada", "bo"]


def test_what_no_rule_allows_is_hidden_from_the_author():
    assert seen("dan") == []


def test_evidence_author_and_outcome_go_to_the_parts_that_may_know():
    views = {name: look(TOY, matter(), name) for name in ("ada", "cy", "dan", "olga")}
    assert [name for name, view in views.items() if view.evidence] == ["cy", "olga"]
    assert [name for name, view in views.items() if view.author] == ["dan", "olga"]
    assert [name for name, view in views.items() if view.lines] == ["cy", "olga"]


def test_a_move_is_offered_once_to_its_part_until_the_case_is_final():
    def offered(account, **more):
        return [move.name for move, _ in look(TOY, matter(("ada", "say"), **more), account).moves]

    assert (offered("ada"), offered("bo"), offered("cy"), offered("dan")) == ([], ["say"], ["rule"], [])
    assert offered("bo", closed=True) == []
    assert not look(TOY, matter(("cy", "rule")), "bo").moves
