"""The commands: from dumps, made up and real, to a reviewed sample; the LLM filter; exit codes and what they say."""

import json
import shutil

import pandas as pd
import pytest
from proctor import paths
from proctor.models import registry
from proctor.models.batch import INTERFACES
from proctor.models.cache import Cache
from proctor.models.providers import OpenAI
from proctor.models.studies import import_replies
from proctor.workflow import run as own_run

RULES = "default: {min_age_years: 0, min_views: 5, min_votes: 2, max_views_per_vote: 5000, top_percent: 100, off_topic_tags: [], tag_match: whole}"


def test_from_dumps_to_kept_questions_and_duplicates(dataset, tmp_path, capsys):
    dumps, pool, out = (tmp_path / name for name in ("dumps", "pool", "out"))
    dataset("generate", "--out", dumps, "--questions", -1, code=2)
    assert "Invalid value for '--questions': Input should be greater than or equal to 1" in capsys.readouterr().err
    dataset("generate", "--out", dumps, "--questions", 80, "--copies", 0.2, "--seed", 2)
    for site in ("proofs", "circuits"):
        dataset("ingest", dumps / site / "Posts.xml", "--site", site, "--pool", pool)
    dataset("funnel", "--pool", pool, "--variant", "public_code")
    dataset("filter", "--pool", pool, "--out", out, "--as-of", "2024-10-01")
    shown = capsys.readouterr().out
    kept = pd.read_parquet(out / "kept.parquet")
    assert f"kept: {len(kept)} " in shown and "160 questions, ages as of 2024-10-01" in shown
    assert pd.read_csv(out / "funnel_by_rule.csv")["left"].iloc[-1] == len(kept)
    assert pd.read_csv(out / "funnel_by_site.csv")["questions"].sum() == 160
    dataset("duplicates", pool, "--pool", pool, "--out", out / "duplicates.csv", code=1)
    assert len(pd.read_csv(out / "duplicates.csv")) > 10
    dataset("funnel", "--pool", pool, "--as-of", "2010-01-01")
    assert "every question fails age. --rules takes your own rules; --as-of sets the day" in capsys.readouterr().out


def test_what_is_rejected_or_stopped_is_shown_and_makes_exit_code_1(dataset, tmp_path, monkeypatch, capsys):
    (tmp_path / "Posts.xml").write_text('<posts>\n<row Id="1" PostTypeId="1" />\n')
    dataset("ingest", tmp_path / "Posts.xml", "--site", "math", "--pool", tmp_path / "pool", code=1)
    told = capsys.readouterr()
    assert "2 rows REJECTED" in told.out and "row 1, post 1: Title: Field required" in told.err
    monkeypatch.setattr("proctor.uq.dataset.stack_api.PAUSE", 0.001)
    monkeypatch.setenv("STACK_EXCHANGE_KEY", "PROCTORFAKE-51c2e07b9a")
    dataset("crawl", "--site", "coffee", "--pool", tmp_path, "--api", "http://127.0.0.1:9", code=1)
    told = capsys.readouterr().err
    assert "Run again: it goes on from here" in told and "PROCTORFAKE" not in told


def test_a_real_dump_goes_through_to_a_reviewed_sample(dataset, coffee, tmp_path, fill_in, capsys):
    (tmp_path / "rules.yaml").write_text(RULES)
    pool, kept, rules = tmp_path / "pool", tmp_path / "kept/kept.parquet", tmp_path / "rules.yaml"
    dataset("ingest", coffee, "--site", "coffee", "--pool", pool, "--answers")
    dataset("filter", "--pool", pool, "--out", tmp_path / "kept", "--rules", rules)
    dataset("duplicates", kept, "--pool", pool, "--out", tmp_path / "near.csv")
    near = ("--duplicates", tmp_path / "near.csv", "--released", tmp_path / "releases")
    dataset("queue", kept, *near, "--out", tmp_path / "review")
    sheet = fill_in(tmp_path / "review")
    made = ("--kept", kept, "--review", sheet, "--out", tmp_path / "releases", "--version", "1")
    dataset("release", *made, "--pool", pool, "--rules", rules, "--dev", "10")
    dataset("check-release", tmp_path / "releases")
    questions, dev = (
        pd.read_json(tmp_path / f"releases/1/{name}.jsonl", lines=True)["question_id"] for name in ("questions", "dev")
    )
    decided = pd.read_csv(sheet)
    accepted = decided[decided["decision"] == "accept"].sort_values("place")["question_id"]
    assert set(questions) == set(accepted[:5]) and len(questions) == 5
    credits = pd.read_csv(tmp_path / "releases/1/attribution.csv")
    assert set(credits["licence"]) == {"CC BY-SA 3.0"}  # all posts are of 2015
    assert credits["link"].str.match(r"https://coffee\.stackexchange\.com/questions/\d+$").all()
    assert len(dev) == 10 and not set(dev) & set(questions)
    shown = capsys.readouterr().out
    assert "225 questions, 327 answers, 40 other posts, no row rejected" in shown and "dev set: 10 questions" in shown


def test_missing_verdicts_faults_and_missing_replacements_are_said(dataset, two_versions, tmp_path, capsys):
    folder = two_versions.parent
    kept, releases = folder / "kept/kept.parquet", tmp_path / "releases"
    lines = (folder / "verdicts.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "v.jsonl").write_text("".join(lines[5:]))
    verdicts = ("--verdicts", tmp_path / "v.jsonl", "--released", tmp_path / "none")
    dataset("queue", kept, *verdicts, "--out", tmp_path / "q")
    assert ", 5 without a verdict (left out)" in capsys.readouterr().out
    shutil.copytree(two_versions, releases)
    (releases / "2/diamond.csv").write_text("site,question_id\nmath,999999\n")
    dataset("check-release", releases, code=1)
    told = capsys.readouterr()
    assert "diamond.csv: not the file that was released" in told.err and "2 PROBLEMS" in told.out
    shutil.rmtree(releases / "2")  # version 2 on the first queue again: what it accepts is released already
    sheet = pd.read_csv(folder / "review/review.csv", dtype=str, keep_default_na=False)
    sheet[sheet["place"].astype(int) <= 6].to_csv(tmp_path / "sheet.csv", index=False)
    made = ("--kept", kept, "--review", tmp_path / "sheet.csv", "--out", releases)
    dataset("release", *made, "--version", "2", "--solved", folder / "solved.csv")
    assert "SHORT by" in capsys.readouterr().out
    dataset("check-release", releases)


def test_bad_input_is_exit_code_2_with_one_message_and_changes_nothing(
    dataset, two_versions, tmp_path, monkeypatch, capsys
):
    folder, given = two_versions.parent, tmp_path / "given"
    kept, sheet = folder / "kept/kept.parquet", folder / "review/review.csv"
    given.mkdir()
    for name, text in {
        "quotas.yaml": "default: {top: 3}",
        "verdicts.jsonl": '{"site": "cs", "question_id": 1, "outcome": "perhaps"}\n',
        "twice.jsonl": '{"site": "cs", "question_id": 1, "outcome": "keep"}\n' * 2,
        "answers.jsonl": '{"site": "cs", "question_id": 1, "model": "m"}\n',
        "near.csv": "site,question_id\ncs,1\n",
        "similar.csv": "site,question_id,other_site,other_id,similarity,relation\ncs,1,math,2,much,asked twice\n",
    }.items():
        (given / name).write_text(text)
    pd.DataFrame({"question_id": ["x"]}).to_parquet(given / "bad.parquet")
    pd.read_parquet(kept).drop(columns=["owner_id"]).to_parquet(given / "uncredited.parquet")
    rejected = pd.read_csv(sheet, dtype=str, keep_default_na=False).assign(decision="reject", reason="no")
    rejected.to_csv(given / "none.csv")
    monkeypatch.chdir(tmp_path)
    before = sorted((str(path), path.stat().st_mtime_ns) for place in (folder, given) for path in place.rglob("*"))
    queue, release = (
        ("queue", kept, "--out", "q", "--released", "empty"),
        ("release", "--kept", kept, "--review", sheet),
    )
    for arguments, told in (
        (("ingest", "none.xml", "--site", "math", "--pool", "P"), "none.xml: cannot be read"),
        (("ingest", "none.xml", "--site", "M", "--pool", "P"), "site 'M': not a site's name"),
        (("ingest", "none.xml", "--site", "..", "--pool", "P"), "site '..': not a site's name"),
        (("ingest", "none.xml", "--site", "a/b", "--pool", "P"), "site 'a/b': not a site's name"),
        (("funnel", "--pool", "none"), "none: not there"),
        (("funnel", "--pool", given), "given: no questions there. Fill it with `ingest`"),
        (("funnel", "--pool", given / "bad.parquet"), "bad.parquet: "),
        (("filter", "--pool", "none", "--out", "O", "--rules", "none.yaml"), "none.yaml: cannot be read"),
        (("duplicates", "none.parquet", "--pool", "none"), "none.parquet: not there"),
        (("queue", sheet, "--out", "q"), "not a readable Parquet file"),
        (("queue", kept, "--out", folder / "review", "--released", "empty"), "is there already, perhaps filled in"),
        ((*queue, "--quotas", given / "quotas.yaml"), "category: Field required"),
        ((*queue, "--verdicts", given / "verdicts.jsonl"), "row 1, column outcome: 'perhaps'"),
        ((*queue, "--verdicts", given / "twice.jsonl"), "row 2, column question_id: 'cs 1' is the question of row 1 too"),
        ((*queue, "--answers", given / "answers.jsonl"), "row 1, column answer: empty or missing"),
        ((*queue, "--duplicates", given / "near.csv"), "row 2, column other_site: empty or missing"),
        ((*queue, "--duplicates", given / "similar.csv"), "row 2, column similarity: 'much' is no similarity"),
        (("release", "--kept", given / "uncredited.parquet", *release[3:], "--version", "1", "--out", "empty"),
         "no column owner_id"),
        ((*release[:3], "--review", given / "none.csv", "--version", "1", "--out", "empty"),
         "no question of the review is accepted ("),
        ((*release, "--version", "3", "--out", two_versions), "Say what it replaces: --solved"),
        ((*release, "--version", "x", "--out", "empty"), "not a version"),
        ((*release, "--version", "1", "--out", "empty", "--solved", folder / "solved.csv"), "Leave --solved out"),
        (("check-release", "empty"), "no release there"),
        (("next-version", "empty", "--pool", folder / "pool", "--out", "p.csv"), "no release there"),
        (("next-version", two_versions, "--pool", folder / "pool", "--out", folder / "solved.csv"), "is there already"),
    ):  # fmt: skip
        dataset(*arguments, code=2)
        assert told in (said := capsys.readouterr().err) and said.count("\n") == 1, (arguments, said)
    after = (
        path for place in (folder, tmp_path) for path in place.rglob("*") if path.is_file() or folder in path.parents
    )
    assert before == sorted((str(path), path.stat().st_mtime_ns) for path in after)


# the LLM filter


@pytest.fixture
def judge(dataset, tmp_path, monkeypatch):
    """`judge(*arguments, code=0)`: filter-llm on two kept questions, with replies and runs of its own."""
    monkeypatch.setattr(paths, "REPLIES", tmp_path / "c.sqlite")
    monkeypatch.setattr(own_run, "RUNS", tmp_path / "runs")
    row = dict(site="cs", body="<p>Prove it.</p>", tags=["sets"], score=9, views=900, comments=0)
    table = pd.DataFrame([row | dict(question_id=k, title=f"Problem {k}?") for k in (1, 2)])
    table.assign(created=pd.Timestamp("2015-01-01")).to_parquet(tmp_path / "kept.parquet")

    def run(*arguments, kept="kept.parquet", model="open", code=0):
        models = ("--answering", model, "--judge", model)
        dataset("filter-llm", tmp_path / kept, *models, "--out", tmp_path / "v.jsonl", *arguments, code=code)

    return run


def test_a_plan_and_mistakes_ask_nothing_and_a_run_needs_a_budget(judge, serving, tmp_path, capsys):
    server = serving(verdicts=1.0)
    judge("--plan")
    shown = capsys.readouterr().out
    assert "2 questions\n" in shown and "32 different calls" in shown
    (tmp_path / "bad.parquet").write_text("no")
    for arguments, how, told in (
        ((), {}, "budget"),
        (("--budget", "0.0001"), dict(code=1), "budget"),
        (("--repeats", "1", "--max-calls", "9"), {}, "2 replies are needed and 1 are asked for"),
        (("--temperature", "0", "--max-calls", "99"), {}, "at temperature 0"),
        (("--prompts", "none", "--plan"), {}, "is no folder"),
        (("--plan", "--judge", "unknown-model"), {}, "unknown-model"),
        (("--plan",), dict(kept="bad.parquet"), "not a readable Parquet file"),
        (("--plan", "--column", "title=headline"), {}, "no column headline"),
    ):
        judge(*arguments, **dict(code=2) | how)
        assert told in capsys.readouterr().err.splitlines()[-1], arguments
    assert server.arrived == 0 and not (tmp_path / "v.jsonl").exists()


def test_undecided_questions_are_exit_code_1_and_written(judge, serving, tmp_path, capsys):
    """The server gives a verdict also where a criterion asks for percent: these replies can't be read."""
    server = serving(verdicts=1.0)
    for _ in range(2):  # the second asks nothing
        judge("--budget", "1", code=1)
        shown = capsys.readouterr().out
        assert "0 keep, 0 drop, 2 undecided" in shown and "12 replies unreadable, 0 calls failed" in shown
        assert server.arrived == 32
    rows = [json.loads(line) for line in (tmp_path / "v.jsonl").read_text().splitlines()]
    assert [row["missing_on"] for row in rows] == [["correctness", "solvability"]] * 2
    assert own_run.states()[0]["state"] == own_run.DONE


def test_a_run_in_batches(judge, serving, monkeypatch):
    made = []
    monkeypatch.setitem(INTERFACES, "openai", lambda model, *_: made.append(model.name) or OpenAI(model, 5.0))
    assert serving(verdicts=1.0)
    judge("--budget", "1", "--batch", code=1)
    assert made == ["open"]


def test_a_run_through_files(judge, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(registry, "_table", {"models.yaml": {}, "prices.yaml": {}}.__getitem__)
    requests, replies = tmp_path / "q.jsonl", tmp_path / "r.jsonl"
    says = {"Score": "Score: [[20]]", "Accepted": "Accepted: [[Y]]", "": "A proof."}
    for count in (2, 30):
        judge("--export", requests, model="openai/m@http://node:8000/v1")
        assert f"{count} requests in " in capsys.readouterr().out and not (tmp_path / "v.jsonl").exists()
        with replies.open("w") as file:
            for line in map(json.loads, requests.read_text().splitlines()):
                system = line["body"]["messages"][0]["content"]
                said = next(said for word, said in says.items() if word in system)
                body = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}]}
                response = {"status_code": 200, "body": body}
                file.write(json.dumps({"custom_id": line["custom_id"], "response": response, "error": None}) + "\n")
        cache = Cache(paths.REPLIES)
        assert import_replies([replies], requests, cache).complete
        cache.close()
    judge("--export", requests, model="openai/m@http://node:8000/v1")
    assert "2 keep, 0 drop, 0 undecided" in capsys.readouterr().out
