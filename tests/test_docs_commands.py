"""The commands of the docs: benchmarks/docs_commands.py knows each, and what is typed for it is there; quick ones run.

`python benchmarks/docs_commands.py` runs them all."""

import argparse
import ast
import asyncio
import importlib.util
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.core
from proctor import paths
from proctor.data.questions import load_families
from proctor.data.schemas import Answer
from proctor.models import registry

_spec = importlib.util.spec_from_file_location("docs_commands", paths.ROOT / "benchmarks/docs_commands.py")
docs_commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(docs_commands)

FOUND = docs_commands.commands()
TEXTS = list(dict.fromkeys(command.text for command in FOUND))
MAKEFILE = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
RECIPES = {  # what stands after `python -m` or $(WORDS) in the recipe of each target
    name: re.findall(r"(?:-m|\$\(WORDS\)) (proctor.*?)(?= --| \\|$)", recipe, re.M)
    for name, recipe in re.findall(r"^(\w+):(?! export).*\n((?:\t.*\n)*)", MAKEFILE, re.M)
}
VARIABLES = re.search(r"^GIVEN := (.*)", MAKEFILE, re.M)[1].split()
A_FILE = re.compile(r".*\.(csv|jsonl|ipynb|ya?ml|py|parquet)")
MADE = {"q.jsonl", "replies.jsonl"}  # by the commands themselves
NO_OPTIONS = {"proctor.generated.generate"}
QUICK = {  # those of the README run in test_cli.py
    command.text
    for command in FOUND
    if command.document != "README.md" and re.search(r"proctor (how-many|dataset) ", command.text)
}


class Accepted(BaseException):
    """The words of a command line fit its program, which would now begin."""


@pytest.fixture
def nothing_begins(monkeypatch):
    """Programs end with Accepted or SystemExit(0) where their command line is right, with SystemExit(2) where not."""

    def parsed(self, args=None, namespace=None):
        parse(self, args, namespace)
        raise Accepted

    def invoked(self, context):
        if context.ignore_unknown_options:  # it hands its words on to another program
            return invoke(self, context)
        raise Accepted

    parse, invoke = argparse.ArgumentParser.parse_args, typer.core.TyperCommand.invoke
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsed)
    monkeypatch.setattr(typer.core.TyperCommand, "invoke", invoked)


def fits(words: list[str], monkeypatch) -> bool:
    """Whether the program exists and takes these words."""
    program, *rest = words
    if program == "make":
        target, *given = rest
        values = dict(text.split("=", 1) for text in given)
        if target not in RECIPES or not set(values) <= set(VARIABLES):
            return False
        if "NOTEBOOK" in values and not (paths.ROOT / f"notebooks/{values['NOTEBOOK']}.ipynb").is_file():
            return False
        more = shlex.split(values.get("P", ""))
        if not more:
            return True
        before = RECIPES[target][0].split()
        return fits(["python", "-m", *before, *more], monkeypatch)
    if program.endswith("python") and rest[0] == "-m":
        module, *told = rest[1:]
        if importlib.util.find_spec(module) is None:
            return False
        if module in NO_OPTIONS:
            return not told
        if not module.startswith("proctor"):
            return True
        monkeypatch.setattr(sys, "argv", [module, *told])
        monkeypatch.delitem(sys.modules, module, raising=False)
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except Accepted:
            return True
        except SystemExit as ended:
            return not ended.code
        return False
    if program.endswith("python"):
        return (paths.ROOT / rest[0]).is_file()
    return program in ("pip", ".venv/bin/pip", "nbstripout", "vllm", "podman")


@pytest.mark.parametrize("text", TEXTS)
def test_a_command_fits_its_program_and_the_files_that_it_names_exist(text, nothing_begins, monkeypatch, capsys):
    monkeypatch.chdir(paths.ROOT)
    words = shlex.split(docs_commands.typed(text).replace("{port}", "9000"))
    files = [word.partition("=")[2] or word for word in words if A_FILE.fullmatch(word) and word not in MADE]
    missing = [file for file in files if not Path(file).exists()]
    assert not missing
    assert fits(words, monkeypatch), capsys.readouterr().err


def test_the_script_s_lists_name_commands_of_the_docs_alone():
    assert set(docs_commands.INSTEAD) | set(docs_commands.NOT_HERE) <= set(TEXTS)


def test_the_documents_are_all_read():
    read = {command.document for command in FOUND}
    assert {
        "README.md",
        "CONTRIBUTING.md",
        "docs/models.md",
        "examples/ask.py",
        "notebooks/hle/your_exam.ipynb",
    } <= read
    assert "params/cluster/here/config.yaml" in read


@pytest.mark.parametrize("wrong", [
    "make reproduse", "make reproduce NOTEBOK=uq/6_agreement", "make reproduce NOTEBOOK=uq/none", 'make sweep P="--sead 7"',
    "python -m proctor.workflow.none", "python -m proctor exam mine.jsonl --modle x", "python -m proctor dataset none",
    "python examples/none.py",
])  # fmt: skip
def test_a_command_that_is_wrong_is_found(wrong, nothing_begins, monkeypatch, capsys):
    monkeypatch.chdir(paths.ROOT)
    assert not fits(shlex.split(wrong), monkeypatch)


def test_the_kills_of_the_desk_are_those_of_the_committed_run():
    printed = (paths.ROOT / "benchmarks/desk_faults.txt").read_text(encoding="utf-8")
    runs = re.findall(r"kills: (100) .*?, (\d+) reviews ack[\s\S]*?torn: (\d+)\n", printed)
    page = " ".join((paths.ROOT / "docs/desk.md").read_text(encoding="utf-8").split())
    quoted = re.findall(r"(\d+) kills[^,]*, (\d+) acknowledged reviews, (\d+) lost, doubled or torn", page)
    assert len(runs) == 2 and quoted == runs


@pytest.mark.parametrize("text", sorted(QUICK))
def test_a_quick_command_runs(text, python):
    words = shlex.split(docs_commands.typed(text))[1:]
    done = subprocess.run([python, *words], cwd=paths.ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr


@pytest.mark.parametrize("document", ["README.md", "docs/models.md"])
def test_python_of_the_docs_runs_on_a_provider_s_model(document, serving, session, monkeypatch, tmp_path, capsys):
    server = serving(verdicts=0.8, steady=True)
    entry = {"kind": "openai", "base_url": f"{server.url}/v1", "key_env": "FAKE_KEY"}
    models = {name: entry for name in ("openai/gpt-4o-mini", "openai/o3")}
    tables = {"models.yaml": models, "prices.yaml": {name: {"input": 1, "output": 2} for name in models}}
    monkeypatch.setattr(registry, "_table", tables.__getitem__)
    monkeypatch.setattr(paths, "REPLIES", tmp_path / "replies.sqlite")
    monkeypatch.chdir(tmp_path)
    questions = load_families(1)[:3]
    (tmp_path / "mine.jsonl").write_text("\n".join(question.model_dump_json() for question in questions))
    answers = [Answer(id=f"a{n}", question_id=question.id, text="7") for n, question in enumerate(questions)]
    ours = session()
    names = {"ours": ours, "session": ours, "questions": questions, "answers": answers}
    [block] = re.findall(r"```python\n(.*?)```", (paths.ROOT / document).read_text(encoding="utf-8"), re.S)
    block += "\nawait ours.close()"
    asyncio.run(eval(compile(block, document, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names))
    assert server.arrived >= 3
    assert "3 to ask" in capsys.readouterr().out if document == "README.md" else len(names["verdicts"]) == 3
