"""Erdős problems: the table's history becomes changes, attempts become claims; the raw samples give the tidy rows."""

import shutil

import pandas as pd
from proctor.logs.proofs import erdos, erdos_attempts

from .laying import put

FOLLOWED = ["state", "settled", "proof", "statement_formalised", "prize", "tags"]


def entry(number, state, more="", tags="[sets]"):
    return (
        f'- number: "{number}"\n  status:\n    state: "{state}"\n    last_update: "2025-09-01"\n{more}  tags: {tags}\n'
    )


def table(folder, *versions):
    for number, text in enumerate(versions):
        put(folder, f"versions/{number:04}_2025-09-{number + 1:02}T0930_{number:012x}.yaml", text)
    return folder


def changes(rows):
    return rows[["version", "number", "changed", "state", "settled", "proof"]].to_numpy().tolist()


def test_a_change_of_the_table_is_a_row_and_a_removed_problem_too_and_an_informal_status_comes_first(tmp_path):
    first = entry(1, "open") + entry(2, "open", '  prize: "No"\n')
    second = entry(1, "proven (Lean)", tags="[sets, graphs]") + entry(2, "open", '  prize: "no"\n')
    found = erdos(table(tmp_path, first, second, second, entry(1, "proved (Lean)", tags="[sets, graphs]")))
    assert changes(found["tidy.csv.gz"]) == [
        ["0", "1", "new", "open", "0", ""],
        ["0", "2", "new", "open", "0", ""],
        ["1", "1", "state+proof+tags", "proved", "1", "Lean"],
        ["3", "2", "removed", "", "", ""],
    ]
    versions = found["versions.csv.gz"]
    assert versions["settled"].tolist() == ["0", "1", "1", "1"] and versions["time"][0] == "2025-09-01T09:30"
    more = '  informal_status:\n    state: "disproved"\n    last_update: "2026-02-24"\n  formal_status:\n    state: "Lean"\n'
    row = erdos(table(tmp_path / "informal", entry(1, "open", more)))["tidy.csv.gz"].iloc[0]
    assert (row["state"], row["proof"], row["stated_date"]) == ("disproved", "Lean", "2026-02-24")


def test_a_block_that_is_no_yaml_keeps_its_state_and_is_counted(tmp_path):
    broken = '- number: "1"\n  status: [\n' + entry(2, "open") + entry(2, "solved")
    found = erdos(table(tmp_path, entry(1, "solved") + entry(2, "open"), broken))
    assert changes(found["tidy.csv.gz"])[2:] == [["1", "2", "state", "solved", "1", ""]]
    last = found["versions.csv.gz"].iloc[1]
    assert (last["problems"], last["unparsed"], last["duplicate_numbers"]) == ("2", "1", "1")


def dated(folder):
    rows = [(p.relative_to(folder).as_posix(), "2026-01-17", "2026-01-20") for p in folder.glob("attacks/*/*/*.tex")]
    pd.DataFrame(rows, columns=["path", "first_date", "last_date"]).to_csv(folder / "history.csv", index=False)
    return folder


def test_what_an_attempt_claims_is_its_last_final_label(tmp_path):
    words = {
        "1": "FINAL: UNRESOLVED, ADVANCED\nCompletion estimate: 35\\%",
        "2": "a PROOF\nFINAL LABEL: COUNTEREXAMPLE/DISPROOF, completion: 100%",
        "3": "FINAL UNRESOLVED " + "x" * 300 + " FINAL: PROOF",
        "4": "nothing",
        "10 - On sets": "FINAL\nPROOF",
        "11-what-is-a-set": "FINAL\nPROOF",
    }
    for name, text in words.items():
        put(tmp_path, f"attacks/erdos/b/{name}.tex", text)
    put(tmp_path, "attacks/erdos/c/2_v2.tex", words["2"])
    review = dict(status="known", label="known", reviewed_by=["a", "b"], reviewed_at="2026-01-20", issue_url="")
    put(tmp_path, "reviews/erdos/2.json", review)
    found = erdos_attempts(dated(tmp_path))
    rows = found["tidy.csv.gz"]
    assert rows["problem"].tolist() == ["1", "2", "2", "3", "4", "10", "11"]
    assert rows["claim"].tolist() == [
        "unresolved", "claims_disproof", "claims_disproof", "mixed", "no_label", "claims_proof", "claims_proof",
    ]  # fmt: skip
    assert rows["says_advanced"].tolist() == ["1", "", "", "", "", "", ""]
    assert rows["completion"].tolist() == ["35", "100", "100", "", "", "", ""]
    assert rows["duplicate_of"].tolist() == ["", "", "erdos/2/b", "", "", "", ""]
    assert rows["version"].tolist()[:3] == ["1", "1", "2"] and rows["review"].tolist()[:3] == ["", "known", "known"]
    assert found["reviews.csv"].to_numpy().tolist() == [["erdos", "2", "known", "known", "2", "2026-01-20", "0"]]


# --- the real raw samples ---


def test_samples_of_the_table_give_the_tidy_states(real_logs, tidy, tmp_path):
    real, versions = tidy("erdos"), tidy("erdos", "versions.csv.gz").set_index("version")
    for path in sorted((real_logs / "erdos/raw").glob("*.yaml")):
        number, commit = path.stem.removeprefix("problems_v").split("_")
        version = str(int(number))
        (place := tmp_path / number / "versions").mkdir(parents=True)
        time = versions.loc[version, "time"].replace(":", "")
        shutil.copy(path, place / f"{number}_{time}_{commit}.yaml")
        mine = erdos(tmp_path / number)
        if version == "0":  # a whole version
            assert mine["tidy.csv.gz"].to_numpy().tolist() == real[real["version"] == "0"].to_numpy().tolist()
            assert mine["versions.csv.gz"].iloc[0, 1:].tolist() == versions.loc["0"].tolist()
        state = real[real["version"].astype(int) <= int(version)].groupby("number").tail(1).set_index("number")
        rows = mine["tidy.csv.gz"].set_index("number")[FOLLOWED]
        pd.testing.assert_frame_equal(rows, state.loc[rows.index, FOLLOWED])


def test_samples_of_attempts_give_the_tidy_rows(real_logs, tidy, tmp_path):
    folder, keys = real_logs / "erdos_attempts", ["set", "problem", "model", "version"]
    shutil.copytree(folder / "raw/attacks", tmp_path / "attacks", copy_function=shutil.copyfile)
    (tmp_path / "reviews").mkdir()
    shutil.copytree(folder / "raw/reviews", tmp_path / "reviews/erdos", copy_function=shutil.copyfile)
    for place in (tmp_path, *tmp_path.rglob("*")):
        place.chmod(0o755)
    found = erdos_attempts(dated(tmp_path))
    mine = found["tidy.csv.gz"].set_index(keys)
    real = tidy("erdos_attempts").set_index(keys).loc[mine.index]
    texts = ["claim", "says_advanced", "site_status", "completion", "duplicate_of"]  # `characters`: texts are cut here
    pd.testing.assert_frame_equal(mine[texts], real[texts])
    real, mine = tidy("erdos_attempts", "reviews.csv"), found["reviews.csv"]
    assert len(mine) == 5
    pd.testing.assert_frame_equal(mine, real[real["problem"].isin(mine["problem"])].reset_index(drop=True))
