"""What would change on another processor? Ask the embedded model again with other batch sizes and compare with the
recording.

Another order of the same sums stands in for another processor: it moves the last digits of probabilities as other
vector units do. The change is made in a copy of the library in a temporary folder; nothing here is written.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGES = {'"n_batch": 2048': '"n_batch": 64', '"n_ubatch": 512': '"n_ubatch": 64'}
ASK = """
import asyncio
from collections import defaultdict
from proctor.models.session import Session
from proctor.models.cache import read_recording, recording_path
from proctor.paths import CACHE, RECORDED
from proctor.exam import recorded as exam
from proctor.recordings.record import compare_replies
from proctor.uq import recorded as uq

MODELS = exam.MODELS[:1]

async def both(session):
    return await exam.answers(session, MODELS), await uq.solution_checks(session, MODELS, ("V", "C"))

async def main():
    async with Session("auto", recorded=None, cache=CACHE / "other.sqlite", timeout=600) as session:
        session.used = defaultdict(dict)
        answers, checks = await both(session)
        asked = {key: session.cache.get(key).to_json() for key in session.used[MODELS[0]]}
    recorded_answers, recorded_checks = await both(Session("replay"))
    kept = read_recording(recording_path(RECORDED, MODELS[0]))[1]
    print(compare_replies({key: kept[key] for key in asked}, asked))
    same = (answers["answer"].fillna("") == recorded_answers["answer"].fillna("")).sum()
    print(f"answers: {len(answers) - same} of {len(answers)} differ; right: {answers['correct'].sum()}, "
          f"recorded {recorded_answers['correct'].sum()}")
    print(f"verdicts: {(checks['outcome'] != recorded_checks['outcome']).sum()} of {len(checks)} differ; "
          f"probability of acceptance moves by at most "
          f"{(checks['p_accept'] - recorded_checks['p_accept']).abs().max():.3f}")

asyncio.run(main())
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lib", "params", "data"):
            shutil.copytree(ROOT / name, Path(folder, name))
        Path(folder, ".cache").mkdir()
        Path(folder, ".cache/fetched").symlink_to(ROOT / ".cache/fetched")
        module = Path(folder, "lib/proctor/models/embedded.py")
        source = module.read_text()
        for recorded, changed in CHANGES.items():
            if source.count(recorded) != 1:
                sys.exit(f"{module.name} no longer says {recorded}: change it here too")
            source = source.replace(recorded, changed)
        module.write_text(source)
        subprocess.run([sys.executable, "-c", ASK], check=True, cwd=folder, env={"PYTHONPATH": f"{folder}/lib"})


if __name__ == "__main__":
    main()
