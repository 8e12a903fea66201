"""The command, as a user types it, against a local server, in a checkout of its own."""

import base64
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pandas as pd
import pytest
from faulty_server import Server
from PIL import Image
from proctor import __version__, cli, paths
from proctor.exam.formats import read_results
from scipy import stats


def png(shade: int) -> str:
    """A grey PNG of 2 x 2 pixels as HLE's files hold pictures."""
    file = io.BytesIO()
    Image.new("L", (2, 2), shade).save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A checkout whose cache and build/ are its own."""
    root = tmp_path_factory.mktemp("checkout")
    for folder in ("notebooks", "params", "data/examples"):
        shutil.copytree(paths.ROOT / folder, root / folder)
    for folder in ("data/recorded", "data/questions", "data/catalog.csv"):
        (root / folder).symlink_to(paths.ROOT / folder)
    shutil.copy(paths.ROOT / "requirements.txt", root)
    (root / ".cache").mkdir()
    (root / ".cache/fetched").symlink_to(paths.CACHE / "fetched")
    return root


@pytest.fixture(scope="module")
def proctor(checkout, kernels, python):
    """proctor(*words): the finished process. Its notebooks run at the tests' server (test_packaging: without one)."""

    def run(*words: object) -> subprocess.CompletedProcess:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PROCTOR_")}
        environment |= {"PROCTOR_ROOT": str(checkout), "PYTHONPATH": str(paths.ROOT / "lib")}
        environment["PROCTOR_KERNELS"] = str(kernels.folder)
        command = [python, "-m", "proctor", *map(str, words)]
        return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=200)

    return run


@pytest.fixture
def server(checkout):
    """answer(text) -> str; the model `mine` takes pictures and costs 1 and 2 dollars a million tokens."""

    def start(answer):
        running = Server(answer=answer, usage=(20, 10)).__enter__()
        started.append(running)
        models = {"mine": {"kind": "openai", "model": "m", "base_url": f"{running.url}/v1", "sees": True}}
        (checkout / "params/my_models.yaml").write_text(json.dumps(models))
        (checkout / "params/prices.yaml").write_text(json.dumps({"mine": {"input": 1.0, "output": 2.0}}))
        return running

    started: list = []
    yield start
    for running in started:
        running.__exit__()


def test_mark_puts_open_replies_alone_to_the_judge_and_compare_reads_the_marks(proctor, server, checkout):
    (checkout / "keys.csv").write_text("id,question,answer\nq1,Half?,1/2\nq2,Which city?,Paris\n")
    for name, city in (("one", "the city of light"), ("two", "Rome")):
        rows = f"question_id,model,reply\nq1,{name},Answer: 0.5\nq2,{name},Answer: {city}\nq3,{name},Answer: 4\n"
        (checkout / f"{name}.csv").write_text(rows)
    fields = {"extracted_final_answer": "x", "reasoning": "so", "confidence": 50}

    def answer(text: str) -> str:
        return json.dumps(fields | {"correct": "yes" if "light" in text else "no"})

    running = server(answer)
    for name in ("one", "two"):
        command = ("mark", checkout / f"{name}.csv", "--keys", checkout / "keys.csv", "--judge", "mine")
        assert "1 to ask" in proctor(*command, "--plan", "--name", name).stdout
        done = proctor(*command, "--budget", 1, "--name", name)
        assert done.returncode == 0 and "1 replies to other questions are left out" in done.stdout, done.stderr
    assert running.arrived == 2  # of four replies two are decided by comparison
    marks = [checkout / f"build/runs/{name}/marks.csv" for name in ("one", "two")]
    assert [pd.read_csv(file)["score"].tolist() for file in marks] == [[1, 1], [1, 0]]


def test_mark_keys_and_compare_read_the_scorer_and_the_filter_that_are_chosen(proctor, checkout):
    keys, log, lines = {f"q{n:02}": "ABCD"[n % 4] for n in range(20)}, [], []
    for n, (name, key) in enumerate(keys.items()):
        said, other = key if n % 3 else "D", key if n % 4 == 1 else "A"
        scores = {"match": {"value": "CI"[said != key], "answer": said}, "graded": {"value": "I", "answer": said}}
        log.append(dict(id=name, epoch=1, output=dict(choices=[]), scores=scores))
        line = dict(doc_id=n, doc=dict(id=name), resps=[[f"It is {other}"]], metrics=["exact_match"])
        lines.append(line | dict(filter="strict-match", filtered_resps=["[invalid]"], exact_match=0.0))
        lines.append(line | dict(filter="flexible", filtered_resps=[other], exact_match=float(other == key)))
    (checkout / "run.json").write_text(json.dumps(dict(version=2, eval=dict(model="gpt-x"), samples=log)))
    (checkout / "samples_mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (checkout / "right.csv").write_text("id,answer\n" + "".join(f"{name},{key}\n" for name, key in keys.items()))
    files, chosen = ("run.json", "samples_mine.jsonl"), "--score match --score exact_match --filter flexible".split()
    refused = proctor("compare", *files)
    assert refused.returncode == 2 and "match, graded. Choose one, such as --score match" in refused.stderr
    marked = proctor("mark", *files, "--keys", "right.csv", *chosen)
    right = [sum(row["scores"]["match"]["value"] == "C" for row in log), int(sum(row["exact_match"] for row in lines))]
    for share in (100 * count / 20 for count in right):
        assert f"marked in the file too: 20; {share:.1f}% there, {share:.1f}% now" in marked.stdout, marked.stderr
    compared = proctor("compare", *files, *chosen, "--name", "chosen")
    assert right == [15, 10] and re.search(r"run +samples_mine +25 \[", compared.stdout), compared.stdout
    power = pd.read_csv(checkout / "build/runs/chosen/kina/own_power.csv").set_index("true_gap")["power"]
    differ = sum((row["scores"]["match"]["value"] == "C") != line["exact_match"] for row, line in zip(log, lines[1::2]))
    chances = [(differ / 20 + 0.1) / 2, (differ / 20 - 0.1) / 2, 1 - differ / 20]  # that one, the other, none is ahead
    shown = [(a, b) for a in range(21) for b in range(min(a, 21 - a)) if stats.binomtest(a, a + b).pvalue <= 0.05]
    wanted = sum(stats.multinomial.pmf([a, b, 20 - a - b], 20, chances) for a, b in shown)
    assert power[10] == pytest.approx(wanted) and power.is_monotonic_increasing
    ranked = proctor("keys", *files, "--answers", "right.csv", *chosen, "--name", "votes")
    assert ranked.returncode == 0 and "20 items, 2 systems: gpt-x, samples_mine" in ranked.stdout, ranked.stderr


def test_twenty_questions_of_hle_s_public_format_with_pictures(proctor, server, checkout):
    rows = [
        {
            "id": f"q{n:02}",
            "question": f"How many dots does picture {n} show?",
            "image": png(10 * n) if n % 2 else "",
            "answer": str(n) if n % 5 else f"about {n} dots",  # what comparison can't decide
            "answer_type": "exactMatch",
            "category": "counting" if n < 10 else "estimating",
            "raw_subject": "dots",
            "canary": "made up for a test",
        }
        for n in range(20)
    ]
    file = checkout / "public.json"
    file.write_text(json.dumps(rows))

    def answer(text: str) -> str:
        if "Reference:" in text:
            fields = {"extracted_final_answer": "n", "reasoning": "the same", "correct": "yes", "confidence": 80}
            return json.dumps(fields)
        n = int(re.search(r"picture (\d+)", text)[1])
        return f"Explanation: I counted.\nExact Answer: {n if n < 10 or not n % 5 else n + 1}\nConfidence: 80%"

    running, command = server(answer), ("exam", file, "--model", "mine", "--judge", "mine")
    planned = proctor(*command, "--plan")
    assert planned.returncode == 0, planned.stderr
    assert "20 questions (10 with a picture)" in planned.stdout and "40 to ask" in planned.stdout
    assert re.search(r"at most \d+,\d+ out; at most \$\d+\.\d\d", planned.stdout)  # the judge's calls among them
    refused = proctor(*command)
    assert refused.returncode == 2 and "Give --budget DOLLARS" in refused.stderr and running.arrived == 0
    stopped = proctor(*command, "--budget", 5, "--max-calls", 6, "--at-once", 1)
    assert stopped.returncode == 1 and "budget" in stopped.stderr.lower() and running.arrived == 6
    assert "exam-public" in proctor("status").stdout

    whole = proctor(*command, "--budget", 5)
    assert whole.returncode == 0, whole.stderr
    assert "answers: 100%" in whole.stderr and "6 cached, 30 to ask" in whole.stdout
    assert (
        running.arrived == 24 and sum("image_url" in str(body) for body in running.bodies) == 10
    )  # 20 answers, 4 that comparison could not decide
    assert re.search(r"mine +20 +20 +12 +0 +60", whole.stdout) and re.search(r"mine +counting +10 +10", whole.stdout)
    assert "24 cached, 0 to ask" in proctor(*command, "--plan").stdout

    folder = checkout / "build/runs/exam-public"
    said = read_results(folder / "predictions/mine.json").set_index("question_id")
    assert said["score"].sum() == 12 and set(said.index) == {row["id"] for row in rows}
    by_category = pd.read_csv(folder / "hle/your_exam_categories.csv").set_index("category")["right"]
    assert by_category.to_dict() == {"counting": 10, "estimating": 2}
    table = pd.read_csv(folder / "hle/your_exam_answers.csv").set_index("item")["score"]
    assert table.to_dict() == said["score"].to_dict()
    first = json.loads((folder / "predictions/mine.json").read_text(encoding="utf-8"))["q00"]
    assert first["judge_response"]["reasoning"] == "decided by mine" and "I counted" in first["response"]
    assert first["judge_response"]["confidence"] == 80 and first["usage"]["prompt_tokens"] == 20
    assert not (checkout / "figures").exists()


def test_answers_with_their_questions_beside_them_are_validated(proctor, server, checkout):
    rows = [{"question": f"What is {n} + 0?", "response": str(n + n % 2), "who": "a" if n < 6 else "b", "right": "yes" if n % 2 == 0 else "no"} for n in range(12)]  # fmt: skip
    pd.DataFrame(rows).to_csv(checkout / "mine.csv", index=False)

    def answer(text: str) -> str:
        question, given = re.search(r"What is (\d+)", text)[1], re.search(r"judged:\n(\d+)", text)[1]
        return f"Accepted: [[{'Y' if question == given else 'N'}]]"

    running = server(answer)
    names = ("--column", "text=response", "--column", "author=who", "--column", "correct=right")
    command = ("validate", checkout / "mine.csv", "--judges", "mine", "--validator", "C", *names)
    done = proctor(*command, "--budget", 1)
    assert done.returncode == 0, done.stderr
    assert running.arrived == 12 and "12 to ask" in done.stdout
    table = pd.read_csv(checkout / "build/runs/validate-mine/uq/your_answers_results.csv").set_index("author")
    assert table.loc["all", ["answers", "accepted", "of_right", "of_wrong"]].tolist() == [12, 6, 100, 0]
    assert table.loc["b", "answers"] == 6


def ended(words, capsys) -> tuple[int, str, str]:
    """The exit code of a command that is run in this process, and what it printed on both streams."""
    with pytest.raises(SystemExit) as end:
        cli.main([*map(str, words)])
    return end.value.code or 0, *capsys.readouterr()


@pytest.mark.parametrize(("judges", "votes", "validator"), [(1, 3, "(C x3|U)"), (2, 6, "(C x3|U) |U")])
def test_the_default_validator_fits_the_number_of_judges(judges, votes, validator, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "REPLIES", tmp_path / "replies.sqlite")
    pd.DataFrame({"question": ["What is 1?"], "text": ["1"]}).to_csv(tmp_path / "mine.csv", index=False)
    named = [word for n in range(judges) for word in ("--judges", f"openai/m{n}@http://127.0.0.1:9/v1")]
    code, said, _ = ended(["validate", tmp_path / "mine.csv", *named, "--plan"], capsys)
    assert code == 0 and f"before {validator}" in said and f"{votes} to ask" in said


def test_a_live_notebook_over_budget_asks_nothing_and_says_what_it_would_need(proctor, server):
    running = server(lambda text: "Accepted: [[Y]]")
    values = ("-p", "judges=[mine]", "-p", "validator=CC => C", "-p", "mode=live", "-p", "budget=0.5")
    refused = proctor("run", "uq/your_answers", *values)
    assert refused.returncode == 1 and running.arrived == 0
    said = re.search(r"nothing was asked: this may need up to \$(\d+\.\d\d), and the budget is \$0\.50", refused.stderr)
    assert said and float(said[1]) > 81 * 3 * 16_384 * 2e-6  # the longest reply to each of three calls an answer


def test_unreadable_verdicts_are_said_to_widen_the_interval(proctor, server, checkout):
    pd.DataFrame({"question": ["What is 1?", "What is 2?"], "answer": ["1", "2"]}).to_csv(checkout / "two.csv")
    server(lambda text: "no verdict" if "Reference:" in text else "Exact Answer: 1")
    words = ("exam", checkout / "two.csv", "--model", "mine", "--judge", "mine", "--judge-all", "--budget", 1)
    done = proctor(*words)
    assert re.search(r"mine +2 +2 +0 +2 +0\.0% \[0\.0, 100\.0\].*; 2 unreadable verdicts widen", done.stdout), (
        done.stdout
    )


def test_settings_reach_the_models(proctor, server, checkout):
    pd.DataFrame({"question": ["What is 1?"], "answer": ["1"]}).to_csv(checkout / "one.csv", index=False)
    running, command = server(lambda text: ""), ("exam", checkout / "one.csv", "--model", "mine")
    words = ("--effort", "high", "--thinking", "2000", "--max-tokens", 5000, "--temperature", 1, "--timeout", 9)
    done = proctor(*command, *words, "--export", checkout / "one.jsonl")
    assert done.returncode == 0 and "mine thinks as long as it finds right" in done.stdout, done.stdout + done.stderr
    body = json.loads((checkout / "one.jsonl").read_text())["body"]
    assert (body["reasoning_effort"], body["max_tokens"], body["temperature"]) == ("high", 5000, 1)
    assert body["chat_template_kwargs"]["enable_thinking"] is True and running.arrived == 0


def test_a_judge_without_its_key_is_found_before_any_model_is_asked(proctor, server, checkout, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    pd.DataFrame({"question": ["What is 1?"], "answer": ["1"]}).to_csv(checkout / "one.csv", index=False)
    running, judge = server(lambda text: "Exact Answer: 1"), ("--judge", "anthropic/claude", "--judge-all")
    refused = proctor("exam", checkout / "one.csv", "--model", "mine", *judge, "--max-calls", 9)
    assert refused.returncode == 2 and running.arrived == 0
    assert "set the environment variable ANTHROPIC_API_KEY" in refused.stderr


def test_a_cluster_answers_what_was_exported(proctor, server, checkout):
    file, requests, replies = (checkout / name for name in ("few.csv", "few.jsonl", "replies.jsonl"))
    pd.DataFrame({"prompt": ["What is 1?", "What is 2?"], "key": ["1", "2"]}).to_csv(file, index=False)
    running = server(lambda text: "1")
    command = ("exam", file, "--model", "mine", "--column", "question=prompt", "--column", "answer=key")
    written = proctor(*command, "--export", requests)
    assert written.returncode == 0 and "2 requests in" in written.stdout, written.stderr
    lines = []
    for line in requests.read_text().splitlines():
        message = {"role": "assistant", "content": "Explanation: so.\nExact Answer: 1\nConfidence: 90%"}
        body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
        lines.append({"custom_id": json.loads(line)["custom_id"], "response": {"status_code": 200, "body": body}})
    replies.write_text("\n".join(map(json.dumps, lines)))
    read = proctor("import", requests, replies)
    assert read.returncode == 0 and "2 replies kept" in read.stdout, read.stderr
    assert "2 cached, 0 to ask" in proctor(*command, "--plan").stdout and running.arrived == 0


EXAM = ("exam", "data/examples/exam_questions.jsonl", "--model", "smollm2-135m")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*EXAM, "--effort", "hard"), "effort: it should be '', 'none', 'minimal'"),
        ((*EXAM, "--thinking", "much"), "--thinking much: say true, false, or how many tokens"),
        ((*EXAM, "--prompts", "params"), "there is no prompt in it. A prompt of your own lies at <paper>/<name>.md"),
        ((*EXAM, "--samples", "2"), "set a temperature"),
        ((*EXAM, "--samples", "0"), "'--samples': Input should be greater than or equal to 1"),
        ((*EXAM, "--at-once", "0"), "'--at-once': Input should be greater than or equal to 1"),
        (("exam", "nowhere.jsonl", "--model", "smollm2-135m"), "nowhere.jsonl: cannot be read"),
        (("exam", "data/examples/exam_questions.jsonl", "--model", "gpt"), "no model 'gpt'"),
        (("run", "uq/none"), "no such notebook"),
        (("run", "uq/6_agreement", "-p", "seed"), "write -p NAME VALUE"),
        (("run", "uq/6_agreement", "-p", "sead", "7", "-p", "n_people=3"), "no parameter `sead`"),
    ],
)
def test_bad_input_is_told_in_a_line_before_any_call(words, told, capsys, monkeypatch):
    monkeypatch.chdir(paths.ROOT)
    code, _, said = ended(words, capsys)
    assert code == 2 and told in said


def test_help_lists_the_commands_and_imports_nothing_heavy():
    code = "import sys, proctor.cli\nassert not {'numpy', 'pandas', 'matplotlib', 'papermill'} & set(sys.modules)\n"
    command = [sys.executable, "-c", f"{code}sys.argv[1:] = ['--help']\nproctor.cli.main()"]
    done = subprocess.run(command, cwd=paths.ROOT / "lib", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in "exam validate leaderboard compare candidates coverage audit run status".split():
        assert f"\n  {name} " in done.stdout
    assert "proctor.cli import main" in (paths.ROOT / "lib/proctor/__main__.py").read_text()


HELP = ["", "exam", "sweep", "export", "import", "how-many", "how-many items", "logs", "dataset", "platform load"]


@pytest.mark.parametrize("command", HELP)
@pytest.mark.parametrize(("started", "name"), [("bin/proctor", "proctor"), ("__main__.py", "python -m proctor")])
def test_usage_names_the_program_as_it_was_started(command, started, name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [started])
    _, said, _ = ended([*command.split(), "--help"], capsys)
    assert f"usage: {name} {command}".strip() in said.replace("Usage", "usage")


def test_the_package_declares_its_command_and_the_command_says_its_version(capsys):
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"] == {"proctor": "proctor.cli:main"}
    assert ended(["--version"], capsys)[1] == f"proctor {project['version']}\n" == f"proctor {__version__}\n"


README = (paths.ROOT / "README.md").read_text(encoding="utf-8")
TYPED = [
    line.partition(" #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in block.splitlines()
    if line.strip()
]


@pytest.mark.parametrize("line", [line for line in TYPED if not line.startswith("make ")])
def test_a_command_of_the_readme_runs_as_written(line, proctor):
    python, _, module, *words = line.split()
    assert (python, module) == (".venv/bin/python", "proctor")
    done = proctor(*words)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
