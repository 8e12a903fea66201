"""Changelog and datasheet say what the files hold."""

import re

import pandas as pd
from proctor.uq.dataset.release import read_releases


def test_the_changelog_names_every_change_of_every_version(two_versions):
    text = (two_versions / "2/CHANGELOG.md").read_text()
    one, two = read_releases(two_versions)
    assert text.count("# Changelog\n") == 1 and text.index("## 2 (2026-01-01)") < text.index("## 1 (2025-01-01)")
    told = re.findall(r"^- (\S+) (\d+): .+$", text, re.MULTILINE)
    changes = pd.concat([one.changes, two.changes])
    assert sorted((site, int(number)) for site, number in told) == sorted(zip(changes["site"], changes["question_id"]))
    assert "12 questions: 3 added, 3 removed." in text and "12 questions: 12 added, 0 removed." in text
    assert text.count("solved (accepted answer; B)") == 3


def test_the_datasheet_gives_the_counts_of_the_files(two_versions):
    release = read_releases(two_versions)[1]
    text = (two_versions / "2/DATASHEET.md").read_text()
    sites = pd.Series([row["site"] for row in release.questions]).value_counts()
    for site, count in sites.items():
        assert f"| Science | {site} | {count} |" in text
    for name, count in release.attributions["licence"].value_counts().items():
        assert f"[{name}](https://creativecommons.org/licenses/by-sa/{name.split()[-1]}/) ({count})" in text
    assert "the one before is 1." in text and f"{len(release.diamond)} of them are the diamond subset" in text
