import asyncio

import pytest
from desk import settings, store
from proctor.uq.community import checked


@pytest.mark.django_db(transaction=True)
def test_a_notebook_with_its_event_loop_reads_the_tables(answer):
    async def cell():
        return store.read_tables()

    tables = asyncio.run(cell())
    assert tables["answers"]["answer_id"].tolist() == [answer.key]
    assert len(checked(tables).questions) == 1


def test_a_process_has_one_desk(tmp_path):
    store.connect(settings.FOLDER)
    with pytest.raises(ValueError, match="new one"):
        store.connect(tmp_path)
