"""Imports are tested with exports (`test_files`); here, that every table can be read back at all."""

from desk import files


def test_every_table_that_another_refers_to_has_a_name_in_files():
    for table in files.exported():
        for field in files.columns(table):
            if field.is_relation:
                assert files.identity(field.related_model), f"{table.__name__}.{field.name}"
