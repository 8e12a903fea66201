"""All recorded studies of all papers, in the order in which they are asked. Each lies in its paper's `recorded.py`."""

from proctor.cbu import recorded as cbu
from proctor.exam import recorded as exam
from proctor.exam import screening
from proctor.hle import recorded as hle
from proctor.hle_verified import recorded as hle_verified
from proctor.kina import recorded as kina
from proctor.uq import recorded as uq

_ALL = exam.STUDIES | uq.STUDIES | hle.STUDIES | kina.STUDIES | hle_verified.STUDIES | cbu.STUDIES

# The order matters: a study that reads the answers of other models comes after the study that asks for them.
STUDIES = {
    name: _ALL[name]
    for name in (
        "answers",
        "exam_answers",
        "solution_checks",
        "open_checks",
        "judgements",
        "samples",
        "model_checks",
        "stages",
        *kina.STUDIES,
        *hle_verified.STUDIES,
        *cbu.STUDIES,
    )
}
PARALLEL = {**screening.STUDIES}  # of families-v2, recorded by `recordings.parallel`, in this order
OF_ANSWERS = ("judgements", "model_checks", "stages", "verification.adjudications", "verification.audits")
