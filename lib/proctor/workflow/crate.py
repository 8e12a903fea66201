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
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import yaml

from proctor import log_files
from proctor.paths import BUILD, ROOT
from proctor.workflow import git, params, receipts
from proctor.workflow.command_line import add_options, split_more
from proctor.workflow.jobs import jobs_of
from proctor.workflow.notebook import Notebook, WorkflowError, all_notebooks, chosen, shown

PLACE = BUILD / "ro-crate"
VERSION, PROFILE = "1.1", "https://w3id.org/ro/wfrun/process/0.5"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"  # has sha256, which RO-Crate 1.1 lacks
BESIDE = ("LICENSE", "data/TERMS.md", "CITATION.cff", "README.md", "Makefile", "pyproject.toml")
FORMS = {
    ".ipynb": "application/x-ipynb+json",
    ".py": "text/x-python",
    ".md": "text/markdown",
    ".gz": "application/gzip",
}
FORMS |= {".jsonl": "application/jsonl", ".yaml": "application/yaml", ".csv": "text/csv"}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.workflow.crate", description=__doc__.splitlines()[0])
    add_options(parser, "--notebook")
    options = parser.parse_args(split_more(arguments))
    try:
        said = write(chosen(options.notebook, all_notebooks()))
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    print(said)
    return 0


def write(notebooks: Sequence[Notebook], place: Path = PLACE) -> str:
    """Write the crate of the notebooks' last run to the folder `place`, anew; returns a line that says what is in it.

    Raises WorkflowError where a notebook's receipt is not there or no longer holds.
    """
    from rocrate.rocrate import ROCrate

    given = params.resolve(all_notebooks())
    if late := [job.name for job in jobs_of(notebooks, given) if not job.reused]:
        names = ", ".join(late[:5]) + (f" and {len(late) - 5} more" if len(late) > 5 else "")
        raise WorkflowError(f"no run of these as their inputs are now: {names}. Run `make reproduce` first")
    ran = [notebook for notebook in notebooks if not notebook.missing_logs()]
    if not ran:
        raise WorkflowError("all of these notebooks are kept, as their logs are not here: there is no run to describe")
    crate = ROCrate(version=VERSION)
    crate.metadata.extra_contexts.append(TERMS)
    _Description(crate).all(ran, ", ".join(notebook.name for notebook in notebooks if notebook.missing_logs()))
    beside = place.with_name(f"{place.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    crate.write(beside)
    shutil.rmtree(place, ignore_errors=True)
    beside.rename(place)
    return f"{len(ran)} runs, {len(crate.data_entities)} files: {shown(place)}/ro-crate-metadata.json"


class _Description:
    """Fills a crate."""

    def __init__(self, crate: Any):
        self.crate = crate

    def all(self, ran: Sequence[Notebook], kept: str) -> None:
        try:
            cite = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise WorkflowError(f"CITATION.cff: {error}; take it back from git") from None
        for name in BESIDE:
            if (ROOT / name).is_file():
                self._file(name, hashlib.sha256((ROOT / name).read_bytes()).hexdigest())
        environment = self._environment()
        ends = [self._action(notebook, environment) for notebook in ran]
        root = self.crate.root_dataset
        root["name"] = cite["title"]
        about = f"The last `make reproduce` of Proctor: {len(ran)} notebooks with inputs, parameters and outputs."
        root["description"] = about + (f" Kept, not run, as their public logs were not here: {kept}." if kept else "")
        root["version"] = str(cite["version"])
        root["datePublished"] = max(filter(None, ends), default=None) or str(cite["date-released"])
        root["conformsTo"] = self._add(
            PROFILE, "CreativeWork", name="Process Run Crate", version=PROFILE.rpartition("/")[2]
        )
        root["license"] = self._add(
            f"https://spdx.org/licenses/{cite['license']}",
            "CreativeWork",
            name=f"{cite['license']} (code)",
            description="Of the code; data/TERMS.md in the crate has the terms of data and recordings.",
        )
        root["creator"] = [
            self._add(f"#author-{n}", "Organization" if "name" in each else "Person", name=_name(each))
            for n, each in enumerate(cite["authors"], 1)
        ]
        root["citation"] = [
            self._add(
                each.get("url") or f"#reference-{n}",
                "ScholarlyArticle",
                name=each["title"],
                author=", ".join(map(_name, each.get("authors", []))),
                datePublished=str(each.get("year", "")),
            )
            for n, each in enumerate(cite.get("references", []), 1)
        ]
        root["mentions"] = [*root.get("mentions", []), environment, self._commit()]

    def _environment(self) -> Any:
        """Python and the packages as installed here; the receipts vouch for the pins that the run read."""
        packages = sorted({(d.metadata["Name"], d.version) for d in metadata.distributions() if d.metadata["Name"]})
        software = [
            self._add(f"#package-{name}", "SoftwareApplication", name=name, softwareVersion=version)
            for name, version in packages
        ]
        python = f"{platform.python_implementation()} {platform.python_version()}"
        return self._add(
            "#environment",
            "SoftwareApplication",
            name="The environment when the crate was written",
            softwareVersion=python,
            operatingSystem=f"{platform.system()} {platform.release()} ({platform.machine()})",
            softwareRequirements=software,
        )

    def _commit(self) -> Any:
        """The git commit, and which files of the crate differ from it."""
        try:
            commit, changed = git.commit(), set(git.changed())
        except WorkflowError:
            return self._add("#commit", "SoftwareSourceCode", name="No git commit: the checkout was no repository")
        mine = sorted(changed & {unquote(entity.id) for entity in self.crate.data_entities})
        state = f"dirty: {len(changed)} files of the checkout differ from it; in the crate: {', '.join(mine) or 'none'}"
        return self._add(
            "#commit",
            "SoftwareSourceCode",
            name=f"git commit {commit}",
            version=commit,
            description=state if changed else "clean: every file of the checkout is as in this commit",
        )

    def _action(self, notebook: Notebook, environment: Any) -> str:
        """Describe one run; returns when it ended, "" where its executed copy does not say."""
        receipt = receipts.read_receipt(receipts.path_of(notebook.name))
        assert receipt is not None  # `jobs_of` has looked
        copy = notebook.executed().relative_to(ROOT).as_posix()
        told, content = _executed(notebook)
        source = shown(notebook.path)
        logs = {shown(path) for path in notebook.log_files()}
        tool = self._file(source, receipt["read"][source])
        tool._jsonld["@type"] = ["File", "SoftwareSourceCode"]
        tool["softwareRequirements"] = environment
        given = params.all_values(notebook, receipt["values"])
        action = self._add(
            f"#run-{notebook.name}",
            "CreateAction",
            name=f"Run of {source}",
            description=f"Executed by papermill with {len(given)} parameters, {told['python']}",
            instrument=tool,
            object=[
                *(
                    self._file(name, digest)
                    for name, digest in receipt["read"].items()
                    if name not in logs and name != source and not name.startswith("$")
                ),
                *(self._log(place, digest) for log in notebook.logs for place, digest in log_files.inputs(log)),
                *(self._parameter(notebook.name, name, value) for name, value in given.items()),
            ],
            result=[
                *(self._file(name, digest) for name, digest in receipt["left"].items() if name != copy),
                self._file(copy, hashlib.sha256(content).hexdigest(), content),
            ],
            actionStatus="http://schema.org/CompletedActionStatus",
            **{key: told[at] for key, at in (("startTime", "start_time"), ("endTime", "end_time")) if told.get(at)},
        )
        self.crate.root_dataset.append_to("mentions", action)
        return told.get("end_time") or ""

    def _file(self, name: str, digest: str, content: bytes | None = None) -> Any:
        """The file of the checkout as a part of the crate, once. content: in place of what lies there."""
        if (known := self.crate.get(quote(name))) is not None:
            return known
        path = ROOT / name
        if Path(name).is_absolute():  # a parameter's file, outside: its digest is told, not its place
            return self._add(f"#outside-{digest[:16]}", "CreativeWork", name=path.name, sha256=digest)
        size = len(content) if content is not None else path.stat().st_size
        form = FORMS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
        about = {"name": path.name, "sha256": digest, "contentSize": str(size), "encodingFormat": form}
        return self.crate.add_file(io.BytesIO(content) if content is not None else path, name, properties=about)

    def _log(self, place: str, digest: str) -> Any:
        return self._add(
            f"#log-{quote(place)}", "CreativeWork", name=place, sha256=digest, description="A public log, unpacked"
        )

    def _parameter(self, notebook: str, name: str, value: Any) -> Any:
        plain = value if isinstance(value, bool | int | float | str) else json.dumps(value, default=str)
        plain = Path(plain).name if isinstance(plain, str) and Path(plain).is_absolute() else plain
        return self._add(f"#parameter-{notebook}-{name}", "PropertyValue", name=name, value=plain)

    def _add(self, id: str, kind: str, **properties: Any) -> Any:
        from rocrate.model.contextentity import ContextEntity

        return self.crate.add(ContextEntity(self.crate, id, properties={"@type": kind, **properties}))


def _executed(notebook: Notebook) -> tuple[dict[str, Any], bytes]:
    """What papermill wrote into the executed copy, and the copy without this machine's paths."""
    content = json.loads(notebook.executed().read_text(encoding="utf-8"))
    about = content["metadata"].get("papermill", {})
    for key in ("input_path", "output_path"):
        if key in about:
            about[key] = Path(about[key]).name
    version = content["metadata"].get("language_info", {}).get("version", "")
    told = {"python": f"Python {version}" if version else "a Python that it does not name", **about}
    return told, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _name(author: Mapping[str, Any]) -> str:
    return author.get("name") or " ".join(filter(None, (author.get("given-names"), author.get("family-names"))))


if __name__ == "__main__":
    sys.exit(main())
