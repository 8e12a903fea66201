"""What the meter of benchmarks/notebooks.py watches."""

import importlib
import importlib.util

from proctor.paths import ROOT

spec = importlib.util.spec_from_file_location("benchmark", ROOT / "benchmarks" / "notebooks.py")
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


def test_what_is_watched_is_there():
    for calls in benchmark.KINDS.values():
        for module, name in calls:
            place = importlib.import_module(module)
            for part in name.split("."):
                place = getattr(place, part)
            assert callable(place)
