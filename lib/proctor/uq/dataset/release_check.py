"""Check releases: each is whole, and from one to the next no question is lost or doubled (UQ, H.5)."""

from collections import Counter
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from proctor.data.tabular import DataError
from proctor.files import digest
from proctor.uq.dataset.attribution import LICENCES, licence
from proctor.uq.dataset.release import FILES, PAGES, PUBLIC, Release, keys, read_release, sizes, versions


def check_releases(folder: str | Path) -> list[str]:
    """What is wrong with the releases of a folder, in words; [] if nothing. Raises DataError when there is none."""
    folder = Path(folder)
    if not versions(folder):
        raise DataError(f"{folder}: no release there. Give the folder that holds the versions.")
    problems: list[str] = []
    known: list[Release] = []
    for version in versions(folder):
        path = folder / version
        try:
            release = read_release(path)
        except DataError as error:
            return [*problems, str(error)]  # what follows rests on it
        problems += [f"{path}/{told}" for told in (*_files(path, release), *_rows(release), *_chain(release, known))]
        known.append(release)
    return problems


def _files(path: Path, release: Release) -> list[str]:
    told = [
        f"{name}: not the file that was released"
        for name in (*FILES, *PAGES)
        if not (path / name).is_file() or digest(path / name) != release.manifest["files"].get(name)
    ]
    told += [
        f"release.json: {name} is said to be {release.manifest.get(name)}, and is {count}"
        for name, count in sizes(release).items()
        if release.manifest.get(name) != count
    ]
    try:
        same = pq.read_table(path / "questions.parquet").cast(PUBLIC).to_pylist() == [
            {name: row[name] for name in PUBLIC.names} for row in release.questions
        ]
    except (pa.ArrowException, OSError, ValueError) as error:
        return [*told, f"questions.parquet: cannot be read ({' '.join(str(error).split())[:100]})"]
    return told if same else [*told, "questions.parquet: not the rows of questions.jsonl"]


def _rows(release: Release) -> list[str]:
    """Problems of one version's questions, attributions, diamond and dev sets."""
    held = Counter(release.keys)
    told = [f"questions.jsonl: {_name(key)} stands {n} times" for key, n in held.items() if n > 1]
    credited = Counter(zip(release.attributions["site"], release.attributions["question_id"]))
    told += [f"attribution.csv: {_name(key)} is not named once" for key in held if credited[key] != 1]
    told += [f"attribution.csv: {_name(key)} is not in the release" for key in credited if key not in held]
    names = {name for _, name in LICENCES}
    for row in release.attributions.itertuples():
        try:
            oldest = licence(date.fromisoformat(row.posted))
        except ValueError:
            oldest = ""
        if row.licence not in names or not oldest or row.licence < oldest:  # an edit may have brought a later one
            told.append(f"attribution.csv: {_name((row.site, row.question_id))}, posted {row.posted}, {row.licence!r}")
    diamond = set(zip(release.diamond["site"], release.diamond["question_id"]))
    told += [f"diamond.csv: {_name(key)} is not in the release" for key in sorted(diamond - set(held))]
    dev = Counter(keys(release.dev))
    told += [f"dev.jsonl: {_name(key)} stands {n} times" for key, n in dev.items() if n > 1]
    told += [f"dev.jsonl: {_name(key)} is a question of the release too" for key in sorted(set(dev) & set(held))]
    told += [f"dev.jsonl: {_name(key)} has no answer" for row, key in zip(release.dev, dev) if not row.get("answer")]
    return told


def _chain(release: Release, earlier: list[Release]) -> list[str]:
    """Problems between a version and the one before it."""
    before = {key: row for key, row in zip(earlier[-1].keys, earlier[-1].questions)} if earlier else {}
    now = dict(zip(release.keys, release.questions))
    changes = {
        kind: Counter(zip(group["site"], group["question_id"])) for kind, group in release.changes.groupby("change")
    }
    added, removed = changes.pop("added", Counter()), changes.pop("removed", Counter())
    told = [f"changes.csv: {kind!r} is no change" for kind in changes]
    if release.manifest.get("previous") != (earlier[-1].version if earlier else None):
        told.append(f"release.json: the version before is said to be {release.manifest.get('previous')}")
    told += [f"changes.csv: {_name(key)} stands {n} times" for key, n in (added + removed).items() if n > 1]
    told += [
        f"questions.jsonl: {_name(key)} is lost: no change removes it" for key in before if _lost(key, now, removed)
    ]
    told += [
        f"questions.jsonl: {_name(key)} came with no change" for key in now if key not in before and not added[key]
    ]
    told += [f"changes.csv: {_name(key)} is removed, but was not there" for key in removed if key not in before]
    told += [f"changes.csv: {_name(key)} is removed, but still there" for key in removed if key in now]
    told += [f"changes.csv: {_name(key)} is added, but not there" for key in added if key not in now]
    once = {key for release in earlier for key in release.keys}
    told += [f"changes.csv: {_name(key)} was in an earlier version already" for key in added if key in once]
    told += [f"questions.jsonl: {_name(key)} was changed" for key in now if key in before and now[key] != before[key]]
    return told


def _lost(key: tuple[str, int], now: dict, removed: Counter) -> bool:
    return key not in now and not removed[key]


def _name(key: tuple[str, int]) -> str:
    return f"question {key[1]} of {key[0]}"
