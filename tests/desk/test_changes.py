"""Edits, withdrawals and their undoing are tested with the other acts; here, what holds for every kind of row."""

from desk import changes


def test_every_kind_of_row_that_is_written_has_an_author_and_fields_to_edit():
    assert set(changes.OWNER) == set(changes.EDITABLE)
    for kind, fields in changes.EDITABLE.items():
        assert {changes.OWNER[kind], *fields} <= {field.name for field in kind._meta.fields}
