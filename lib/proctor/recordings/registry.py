"""All recorded studies of all papers, in the order in which they are asked. Each lies next to what it asks."""

from proctor.cbu import arms, own_candidates
from proctor.exam import recorded as exam
from proctor.exam import screening
from proctor.hle import metrics
from proctor.hle_verified import paired_defects, stages
from proctor.kina import calculator, item_refinement
from proctor.uq import recorded as uq
from proctor.uq.dataset import llm_filter

# Asked one call at a time. A study that reads the answers of other models comes after the study that asks for them.
STUDIES = exam.STUDIES | uq.STUDIES | llm_filter.STUDIES | item_refinement.STUDIES | own_candidates.STUDIES
# Of families-v2 and -v3, recorded by `recordings.parallel`: the largest effect first, each after what it reads.
PARALLEL = {
    **stages.STUDIES,
    **screening.STUDIES,
    **arms.FIRST_STUDIES,
    **screening.NATURAL,
    **calculator.STUDIES,
    **metrics.STUDIES,
    **uq.NATURAL,
    **uq.FORMAL,
    **paired_defects.STUDIES,
    **arms.STUDIES,
    **metrics.MORE_STUDIES,
    **arms.MORE_STUDIES,
    **uq.MORE_STUDIES,
    **calculator.MORE_STUDIES,
}
OF_ANSWERS = ("own_exam", "model_checks", "verification.adjudications", "verification.audits")
