import inspect

from proctor.cbu.recorded import STUDIES
from proctor.recordings import registry


def test_studies_are_asked_by_session_and_models_and_are_registered():
    assert set(STUDIES) == {"utility.attempts", "utility.rollouts", "utility.scores", "utility.drafts"}
    for study in STUDIES.values():
        assert inspect.iscoroutinefunction(study) and list(inspect.signature(study).parameters)[:2] == [
            "session",
            "models",
        ]
    assert set(STUDIES) <= set(registry.STUDIES)
