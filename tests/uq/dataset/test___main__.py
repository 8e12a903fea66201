"""The command: from dumps to the questions left and their duplicates, with its exit codes."""

import pandas as pd
import pytest
from proctor.uq.dataset.__main__ import main


def test_from_dumps_to_kept_questions_and_duplicates(tmp_path, capsys):
    dumps, pool, out = (str(tmp_path / name) for name in ("dumps", "pool", "out"))
    assert main(["generate", "--out", dumps, "--questions", "150", "--copies", "0.2", "--seed", "2"]) == 0
    for site in ("proofs", "circuits"):
        assert main(["ingest", f"{dumps}/{site}/Posts.xml", "--site", site, "--pool", pool]) == 0
    assert main(["funnel", "--pool", pool, "--variant", "public_code", "--site", "proofs"]) == 0
    assert main(["filter", "--pool", pool, "--out", out, "--as-of", "2024-10-01"]) == 0
    shown = capsys.readouterr().out
    kept = pd.read_parquet(f"{out}/kept.parquet")
    assert f"kept: {len(kept)} " in shown and "300 questions, ages as of 2024-10-01" in shown
    assert pd.read_csv(f"{out}/funnel_by_rule.csv")["left"].iloc[-1] == len(kept)
    assert pd.read_csv(f"{out}/funnel_by_site.csv")["questions"].sum() == 300
    assert main(["duplicates", pool, "--pool", pool, "--out", f"{out}/duplicates.csv"]) == 1
    assert len(pd.read_csv(f"{out}/duplicates.csv")) > 10


def test_rejected_rows_are_shown_and_make_exit_code_1(tmp_path, capsys):
    dump = tmp_path / "Posts.xml"
    dump.write_text('<posts>\n<row Id="1" PostTypeId="1" />\n')
    assert main(["ingest", str(dump), "--site", "math", "--pool", str(tmp_path / "pool")]) == 1
    told = capsys.readouterr()
    assert "2 rows REJECTED" in told.out and "row 1, post 1: no Score" in told.err


def test_a_rule_that_drops_everything_is_named(generated, capsys):
    assert main(["funnel", "--pool", str(generated[0]), "--as-of", "2010-01-01"]) == 0
    assert "every question fails age. --rules takes your own rules; --as-of sets the day" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "none.xml", "--site", "math", "--pool", "P"],
        ["ingest", "none.xml", "--site", "M/x", "--pool", "P"],
        ["funnel", "--pool", "P"],
        ["filter", "--pool", "P", "--out", "O", "--rules", "none.yaml"],
        ["duplicates", "none.parquet", "--pool", "P"],
    ],
)
def test_bad_input_is_exit_code_2_and_leaves_nothing(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_a_crawl_that_stops_early_is_exit_code_1(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("proctor.uq.dataset.stack_api.PAUSE", 0.001)
    monkeypatch.setenv("STACK_EXCHANGE_KEY", "PROCTORFAKE-51c2e07b9a")
    assert main(["crawl", "--site", "coffee", "--pool", str(tmp_path), "--api", "http://127.0.0.1:9"]) == 1
    told = capsys.readouterr().err
    assert "Run again: it goes on from here" in told and "PROCTORFAKE" not in told
