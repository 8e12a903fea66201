from proctor.exam.recorded import MODELS
from proctor.models.cache import read_recording, recording_path
from proctor.paths import RECORDED
from proctor.recordings.registry import OF_ANSWERS, PARALLEL, STUDIES


def test_what_reads_answers_comes_after_them():
    order = list(STUDIES)
    assert all(order.index(name) > order.index("answers") for name in OF_ANSWERS)


def test_every_study_of_every_paper_is_in_the_order():
    from proctor.cbu import recorded as cbu
    from proctor.exam import recorded as exam
    from proctor.hle import recorded as hle
    from proctor.hle_verified import recorded as hle_verified
    from proctor.kina import recorded as kina
    from proctor.uq import recorded as uq
    from proctor.uq.dataset import recorded as uq_dataset

    papers = (exam, uq, uq_dataset, hle, kina, hle_verified, cbu)
    assert set(STUDIES) == {name for paper in papers for name in paper.STUDIES}


def test_every_model_has_its_recording():
    for model in MODELS:
        header, replies = read_recording(recording_path(RECORDED, model))
        assert header["model"] == model and len(header["sha256"]) == 64 and len(replies) > 1_000


def test_studies_of_families_v2_have_names_of_their_own_and_come_after_the_screening():
    assert not set(PARALLEL) & set(STUDIES)
    names = list(PARALLEL)
    assert names[:4] == ["screening", "screening.more", "cbu.core", "cbu.core_judges"]
    assert all(names.index(f"{name}.more") > names.index(name) for name in names if f"{name}.more" in names)
