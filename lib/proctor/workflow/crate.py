"""The last `make reproduce` as an RO-Crate: a folder to deposit, with a description that programs read.

    python -m proctor.workflow.crate [--notebook uq/6_agreement]      # or: make crate; into build/ro-crate/

RO-Crate 1.1 with the profile Process Run Crate 0.5. Each notebook that ran is a CreateAction: its inputs (`object`:
files and parameters), its outputs (`result`), its start and end. Each file has its SHA-256 digest and is in the folder,
so that `make reproduce` could start from it. Besides: Python, packages, platform, the git commit and the files that
differ from it, licence and citation. Kept notebooks ran not and are named as such. No path of this machine is written.

Exit codes: 0 written, 2 a notebook has no true receipt (nothing is written: it would describe no run).
"""

import argparse
import hashlib
import io
import json
import mimetypes
import platform
import shutil
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import yaml

from proctor import log_files
from proctor.files import digest
from proctor.paths import BUILD, ROOT
from proctor.workflow import git, params, receipts
from proctor.workflow.jobs import ONE, exit_code, jobs_of
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, chosen, shown

PLACE = BUILD / "ro-crate"
VERSION, PROFILE = "1.1", "https://w3id.org/ro/wfrun/process/0.5"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"  # has sha256, which RO-Crate 1.1 lacks
BESIDE = ("LICENSE", "data/TERMS.md", "CITATION.cff", "README.md", "Makefile", "pyproject.toml")
FORMS = {".ipynb": "application/x-ipynb+json", ".gz": "application/gzip"}
FORMS |= {".jsonl": "application/jsonl", ".yaml": "application/yaml"}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.crate", description=__doc__.splitlines()[0])
    parser.add_argument("--notebook", **ONE)
    options = parser.parse_args(arguments)
    return exit_code(lambda: print(write(chosen(options.notebook, all_notebooks()))) or 0)


def write(notebooks: Sequence[Notebook], place: Path = PLACE) -> str:
    """Write the crate of the notebooks' last run to the folder `place`, anew; returns a line that says what is in it.

    Raises WorkflowError where a notebook's receipt is not there or no longer holds.
    """
    from rocrate.rocrate import ROCrate

    given = params.resolve(all_notebooks())
    if late := [job.name for job in jobs_of(notebooks, given) if job.problem or not job.reused]:
        names = ", ".join(late[:5]) + (f" and {len(late) - 5} more" if len(late) > 5 else "")
        raise WorkflowError(f"no run of these as their inputs are now: {names}. Run `make reproduce` first")
    ran = [notebook for notebook in notebooks if not notebook.missing_logs()]
    if not ran:
        raise WorkflowError("all of these notebooks are kept, as their logs are not here: there is no run to describe")
    crate = ROCrate(version=VERSION)
    crate.metadata.extra_contexts.append(TERMS)
    _describe(crate, ran, ", ".join(notebook.name for notebook in notebooks if notebook.missing_logs()))
    beside = place.with_name(f"{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    crate.write(beside)
    shutil.rmtree(place, ignore_errors=True)
    beside.rename(place)
    return f"{len(ran)} runs, {len(crate.data_entities)} files: {shown(place)}/ro-crate-metadata.json"


def _describe(crate: Any, ran: Sequence[Notebook], kept: str) -> None:
    """Fill the crate: files and runs, then what is said of the whole."""
    try:
        cite = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise WorkflowError(f"CITATION.cff: {error}; take it back from git") from None
    for name in BESIDE:
        if (ROOT / name).is_file():
            _file(crate, name, digest(ROOT / name))
    environment = _environment(crate)
    ends = [_run(crate, notebook, environment) for notebook in ran]
    root = crate.root_dataset
    root["name"], root["version"] = cite["title"], str(cite["version"])
    about = f"The last `make reproduce` of Proctor: {len(ran)} notebooks with inputs, parameters and outputs."
    root["description"] = about + (f" Kept, not run, as their public logs were not here: {kept}." if kept else "")
    root["datePublished"] = max(filter(None, ends), default=None) or str(cite["date-released"])
    version = PROFILE.rpartition("/")[2]
    root["conformsTo"] = _add(crate, PROFILE, "CreativeWork", name="Process Run Crate", version=version)
    terms = "Of the code; data/TERMS.md in the crate has the terms of data and recordings."
    licence = dict(name=f"{cite['license']} (code)", description=terms)
    root["license"] = _add(crate, f"https://spdx.org/licenses/{cite['license']}", "CreativeWork", **licence)
    names = [each["name"] for each in cite["authors"]]
    root["creator"] = [_add(crate, f"#{quote(name)}", "Organization", name=name) for name in names]
    root["citation"] = [
        _add(crate, each["url"], "ScholarlyArticle", name=each["title"], datePublished=str(each["year"]))
        for each in cite["references"]
    ]
    root.append_to("mentions", [environment, _commit(crate)])


def _environment(crate: Any) -> Any:
    """Python and the packages as installed here; the receipts vouch for the pins that the run read."""
    return _add(
        crate,
        "#environment",
        "SoftwareApplication",
        name="The environment when the crate was written",
        softwareVersion=f"{platform.python_implementation()} {platform.python_version()}",
        operatingSystem=f"{platform.system()} {platform.release()} ({platform.machine()})",
        softwareRequirements=sorted({f"{each.name}=={each.version}" for each in metadata.distributions()}),
    )


def _commit(crate: Any) -> Any:
    """The git commit, and which files of the crate differ from it."""
    try:
        commit, changed = git.commit(), set(git.changed())
    except WorkflowError:
        return _add(crate, "#commit", "SoftwareSourceCode", name="No git commit: the checkout was no repository")
    mine = ", ".join(sorted(changed & {unquote(entity.id) for entity in crate.data_entities})) or "none"
    state = "clean: every file of the checkout is as in this commit"
    if changed:
        state = f"dirty: {len(changed)} files of the checkout differ from it; in the crate: {mine}"
    about = dict(name=f"git commit {commit}", version=commit, description=state)
    return _add(crate, "#commit", "SoftwareSourceCode", **about)


def _run(crate: Any, notebook: Notebook, environment: Any) -> str:
    """Describe one run; returns when it ended, "" where its executed copy does not say."""
    receipt = receipts.read_receipt(receipts.path_of(notebook.name))
    assert receipt is not None  # `jobs_of` has looked
    copy, told = shown(notebook.executed()), Notebook(notebook.executed()).content
    python, times = told["metadata"].get("language_info", {}).get("version"), told["metadata"].get("papermill", {})
    times |= {key: Path(times[key]).name for key in ("input_path", "output_path") if key in times}
    content = (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()  # without this machine's paths
    source, logs = shown(notebook.path), {shown(path) for path in notebook.log_files()}
    tool = _file(crate, source, receipt["read"].pop(source))
    tool._jsonld["@type"] = ["File", "SoftwareSourceCode"]
    tool["softwareRequirements"] = environment
    read = [_file(crate, *each) for each in receipt["read"].items() if each[0] not in logs and each[0][0] != "$"]
    for place, sha256 in (each for log in notebook.logs for each in log_files.inputs(log)):
        about = dict(name=place, sha256=sha256, description="A public log, unpacked")
        read.append(_add(crate, f"#log-{quote(place)}", "CreativeWork", **about))
    given = params.all_values(notebook, receipt["values"])
    for name, value in given.items():
        plain = value if isinstance(value, bool | int | float | str) else json.dumps(value, default=str)
        plain = Path(plain).name if isinstance(plain, str) and Path(plain).is_absolute() else plain
        read.append(_add(crate, f"#parameter-{notebook.name}-{name}", "PropertyValue", name=name, value=plain))
    left = [_file(crate, *each) for each in receipt["left"].items() if each[0] != copy]
    left.append(_file(crate, copy, hashlib.sha256(content).hexdigest(), content))
    about = {
        "name": f"Run of {source}",
        "description": f"Executed by papermill with {len(given)} parameters, Python {python or 'not named'}",
        "actionStatus": "http://schema.org/CompletedActionStatus",
        **{key: times[at] for key, at in (("startTime", "start_time"), ("endTime", "end_time")) if times.get(at)},
    }
    action = crate.add_action(tool, f"#run-{notebook.name}", object=read, result=left, properties=about)
    crate.root_dataset.append_to("mentions", action)
    return times.get("end_time") or ""


def _file(crate: Any, name: str, sha256: str, content: bytes | None = None) -> Any:
    """The file of the checkout as a part of the crate, once. content: in place of what lies there."""
    if (known := crate.get(quote(name))) is not None:
        return known
    path = ROOT / name
    if Path(name).is_absolute():  # a parameter's file, outside: its digest is told, not its place
        return _add(crate, f"#outside-{sha256[:16]}", "CreativeWork", name=path.name, sha256=sha256)
    form = FORMS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    size = path.stat().st_size if content is None else len(content)
    about = dict(name=path.name, sha256=sha256, contentSize=str(size), encodingFormat=form)
    return crate.add_file(path if content is None else io.BytesIO(content), name, properties=about)


def _add(crate: Any, id: str, kind: str, **properties: Any) -> Any:
    from rocrate.model.contextentity import ContextEntity

    return crate.add(ContextEntity(crate, id, properties={"@type": kind, **properties}))


if __name__ == "__main__":
    sys.exit(main())
