"""`make record`: ask the models everything that the notebooks show again, and compare with the recording.

A reply depends on the request, the weights, the library and the processor. On the processor of the
recording all replies come back identical; elsewhere some differ in their last digits, and a few of
those in their words. The report counts both. Without --write the recording in data/recorded/ stays
as it is, unless there is none. `make record P="--sample 200"` asks that many of each model, drawn by a seed.
"""

import argparse
import asyncio
import contextlib
import json
import platform
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from importlib.metadata import version
from itertools import product
from pathlib import Path

from proctor import paths
from proctor.cbu import candidates, own_candidates
from proctor.exam import recorded as exam
from proctor.exam import screening
from proctor.exam.recorded import MODELS
from proctor.hle import metrics
from proctor.hle_verified import stages
from proctor.kina import calculator, item_refinement
from proctor.models import embedded
from proctor.models.cache import StoreError, read_recording, recording_path, write_recording
from proctor.models.endings import MissingReply
from proctor.models.registry import ModelError, spec, weights_file
from proctor.models.session import Session
from proctor.uq import recorded as uq
from proctor.uq.dataset import llm_filter

# Asked one call at a time. A study that reads the answers of other models comes after the study that asks for them.
STUDIES = exam.STUDIES | uq.STUDIES | llm_filter.STUDIES | item_refinement.STUDIES | own_candidates.STUDIES
# Of families-v2 and -v3, recorded by `recordings.parallel`: the largest effect first, each after what it reads.
PARALLEL = {
    **stages.STUDIES,
    **screening.STUDIES,
    **candidates.FIRST_STUDIES,
    **screening.NATURAL,
    **calculator.STUDIES,
    **metrics.STUDIES,
    **uq.NATURAL,
    **uq.FORMAL,
    **stages.PAIRED,
    **candidates.STUDIES,
    **metrics.MORE_STUDIES,
    **candidates.MORE_STUDIES,
    **uq.MORE_STUDIES,
    **calculator.MORE_STUDIES,
}
OF_ANSWERS = ("own_exam", "model_checks", "verification.adjudications", "verification.audits")
KINDS = ("identical", "same words, other probabilities", "other words", "new", "no longer asked")


def recorded(model: str, folder: Path | None = None) -> tuple[dict, dict[str, bytes]]:
    """Header and replies of a model's recording in `folder` (default: data/recorded/); ({}, {}) where there is none."""
    path = recording_path(folder or paths.RECORDED, model)
    return read_recording(path) if path.is_file() else ({}, {})


async def ask_again(
    models: list[str], studies: list[str], cache: Path, only_new: bool = False
) -> dict[str, dict[str, str]]:
    """Ask `models` all that the `studies` ask of them; {model: {key: reply as JSON}}. Resumes from `cache`.

    only_new: take what is recorded from the recording.
    """
    others = {name: recorded(name)[1] for name in MODELS if only_new or name not in models}
    known = [name for name in MODELS if name in models or others.get(name)]
    async with Session("auto", recorded=None, cache=cache, timeout=600) as session:
        session.used = defaultdict(dict)
        session.recordings.update(others)  # a judge also reads what the other models answered
        for study, model in product(studies, models):
            print(f"{model}: {study}", file=sys.stderr, flush=True)
            await run(study, session, model, known)
        return {model: {key: _kept(session, model, key) for key in sorted(session.used[model])} for model in models}


async def ask_some_again(models: list[str], studies: list[str], n: int, seed: int) -> dict[str, dict[str, str]]:
    """Ask `n` of the recorded requests of each model again, drawn at random; {model: {key: reply as JSON}}."""
    known = [model for model in MODELS if recorded(model)[1]]
    async with Session("replay", progress=False) as session:
        session.used = requests = defaultdict(dict)
        for study, model in product(studies, models):
            with contextlib.suppress(MissingReply):  # a study that is not recorded of this model
                await run(study, session, model, known)
    again = {}
    with tempfile.TemporaryDirectory() as folder:
        async with Session("auto", recorded=None, cache=Path(folder, "sample.sqlite"), timeout=600) as session:
            for model in models:
                own = [requests[model][key] for key in sorted(requests[model])]
                drawn = random.Random(seed).sample(own, min(n, len(own)))
                replies = await session.ask_many(drawn, f"{model}, asked again")
                again[model] = {request.key: reply.to_json() for request, reply in zip(drawn, replies)}
    return again


async def of_parallel(model: str, names: Iterable[str]) -> set[str]:
    """Keys of the requests of studies that `recordings.parallel` recorded of a model, which are not asked again."""
    async with Session("replay", progress=False) as session:  # a study also reads what the other models answered
        session.used = defaultdict(dict)
        for name in names:
            await PARALLEL[name](session, [model])
        return set(session.used[model])


async def run(study: str, session: Session, model: str, known: list[str]) -> None:
    """Ask a model what a study of the first kind asks. known: the models whose answers others may read."""
    await STUDIES[study](session, [model], **(dict(answering=known) if study in OF_ANSWERS else {}))


def _kept(session: Session, model: str, key: str) -> str:
    recorded = session.recordings.get(model, {}).get(key)
    return recorded.decode() if recorded is not None else session.cache.get(key).to_json()


def header(model: str) -> dict:
    """What a reply depends on besides the request."""
    entry = spec(model)
    return {
        "model": model,
        "file": entry.file,
        "sha256": entry.sha256,
        "settings": embedded.SETTINGS,
        "versions": {"xllamacpp": version("xllamacpp"), "openai": version("openai")},
        "machine": platform.machine(),
        "processor": _processor(),
    }


def joined(past: dict, now: dict) -> dict:
    """The header of a recording that keeps the replies of `past` and has new ones: it names both processors."""
    known = past["processor"].split("; ")
    return now | {"processor": "; ".join(known if now["processor"] in known else [*known, now["processor"]])}


def compare_replies(old: dict[str, bytes], new: dict[str, str]) -> dict[str, int]:
    """Counts over the requests of both: identical throughout, same words only, other words; and those of one only."""
    kinds = ["no longer asked"] * len(set(old) - set(new))
    for key, reply in new.items():
        if key not in old:
            kinds.append("new")
        elif old[key].decode() == reply:
            kinds.append("identical")
        else:
            same = json.loads(old[key])["text"] == json.loads(reply)["text"]
            kinds.append("same words, other probabilities" if same else "other words")
    return {kind: kinds.count(kind) for kind in KINDS}


def available(models: list[str]) -> list[str]:
    """Those of `models` whose weights are here."""
    here = []
    for model in models:
        try:
            weights_file(spec(model))
            here.append(model)
        except ModelError as error:
            print(f"left out: {error}", file=sys.stderr)
    return here


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=MODELS, help="default: those whose weights are here")
    parser.add_argument("--studies", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--only-new", action="store_true", help="ask only what the recordings lack")
    parser.add_argument("--sample", type=int, metavar="N", help="ask N of each model's recorded requests, at random")
    parser.add_argument("--seed", type=int, default=20260101, help="of the sample")
    parser.add_argument("--write", action="store_true", help="replace the recordings in data/recorded/")
    options = parser.parse_args(arguments)
    models = available(options.models)
    if not models:
        print("no model to ask: run `make setup`, or set PROCTOR_WEIGHTS to the folder of the weights", file=sys.stderr)
        return 2
    if options.sample and (options.only_new or options.write or options.sample < 1):
        parser.error("--sample N compares N recorded replies, 1 or more: leave out --only-new and --write")
    if options.sample:
        asking = ask_some_again(models, options.studies, options.sample, options.seed)
    else:
        asking = ask_again(models, options.studies, paths.CACHE / "record.sqlite", options.only_new)
    try:
        asked = asyncio.run(asking)
    except StoreError as error:
        print(error, file=sys.stderr)
        return 1
    for model, replies in asked.items():
        (past, kept), made, beside = recorded(model), header(model), {}
        if past:
            made = joined(past, made) if options.only_new else made
            if options.sample:
                kept = {key: kept[key] for key in replies if key in kept}
            elif "studies" in past:
                made["studies"] = past["studies"]
                parallel = asyncio.run(of_parallel(model, past["studies"])) - set(replies)
                beside = {key: kept.pop(key).decode() for key in parallel}
            counts = compare_replies(kept, replies)
            others = [f"{n} {what}" for what, n in counts.items() if n and what != "identical"]
            same = f"{model}: {counts['identical']} of {len(replies)} replies are identical to the recording"
            print("; ".join(filter(None, [same, ", ".join(others)])))
            for field, value in made.items():
                if past.get(field) != value:
                    print(f"  {field} was {past.get(field)!r}, is {value!r}")
        else:
            print(f"{model}: {len(replies)} replies; there is no recording to compare with")
        path = recording_path(paths.RECORDED, model)
        if options.studies == list(STUDIES) and (options.write or not path.is_file()):
            write_recording(path, made, replies | beside)
            print(f"  wrote {path.relative_to(paths.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
