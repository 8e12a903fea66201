"""What was typed, read again: every printed figure stands in the text of its paper, every caption has a catalog row.

The papers' texts lie beside the checkout and are no part of the repository; without them these tests skip.
"""

import re

import pytest
from proctor.data.published import FACTS, TABLES, load_published
from proctor.data.tabular import read_rows
from proctor.paths import PUBLISHED, ROOT
from proctor.report import catalog

TEXTS = {
    "uq": "uq.txt",
    "hle": "hle.txt",
    "hle_verified": "hle_verified.txt",
    "kina": "kina_review.txt",
    "cbu": "cbu.txt",
}
FOLDER = ROOT.parent / "shared" / "papers"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the texts of the papers are not at hand")
# Typed as a digit where the text has a word or an ordinal, as the note beside each fact says.
SPELT = {"1": r"single|another|one", "2": r"2nd|second|two", "3": r"3rd|third|three", "four": "quarters"}


@pytest.fixture(scope="module")
def texts():
    found = {paper: (FOLDER / name).read_text(encoding="utf-8") for paper, name in TEXTS.items()}
    return {paper: text.replace("{,}", ",").replace("\\,", "").replace("−", "-") for paper, text in found.items()}


def stands_in(figure: str, text: str) -> bool:
    """Is the figure in the text, and not as a part of a longer number?"""
    figure = figure.removeprefix("+")
    word = re.escape(figure) if figure[-1].isdigit() else rf"\b{re.escape(figure)}\b"
    return re.search(rf"(?<![\d.]){word}(?![\d]|[.,]\d)", text, re.IGNORECASE) is not None


@pytest.mark.parametrize("name", TABLES)
def test_every_printed_figure_stands_in_the_text_of_its_paper(name, texts):
    text, missing = texts[name.split("/")[0]], []
    for row in load_published(name).to_dict("records"):
        for column in TABLES[name].printed:
            figure = row[column]
            if figure in ("", "-") or stands_in(figure, text):
                continue
            if not re.search(SPELT.get(figure, r"(?!)"), text, re.IGNORECASE):
                missing.append((row.get("fact", row[TABLES[name].key[0]]), column, figure))
    assert missing == []


def test_the_text_of_a_paper_has_the_title_and_the_text_named_has_the_id_of_its_source(texts):
    for _, source in read_rows(PUBLISHED / "sources.csv")[0]:
        text = " ".join(texts[source["paper"]].replace("’", "'").replace("\n\n", " ").split())
        assert source["title"] in text
        assert source["arxiv"] in texts[source["id_stated_in"]]
        if source["version"]:
            stated = rf"{source['arxiv']}( · )?{source['version']}\b"
            assert source["id_stated_in"] == source["paper"] and re.search(stated, text)


def test_every_caption_of_a_table_or_figure_has_a_row_in_the_catalog(texts):
    ids = {row.id for row in catalog.read()}
    missing = []
    for paper, text in texts.items():
        for kind, number in re.findall(r"^\s*(?:\*\*)?(Table|Figure|Fig\.) (S?\d+)(?:[:.]|\s\d)", text, re.MULTILINE):
            row = f"{paper}/{'table' if kind == 'Table' else 'fig'}_{number}"
            if not any(
                known == row or re.fullmatch(re.escape(row) + "[a-z](_.*)?|" + re.escape(row) + "_.*", known)
                for known in ids
            ):
                missing.append(f"{paper}: {kind} {number}")
    assert sorted(set(missing)) == []


def test_a_figure_that_is_not_in_the_text_would_be_found():
    assert stands_in("33,916", "yields 33,916 (1.13%)") and not stands_in("33,917", "yields 33,916 (1.13%)")
    assert (
        not stands_in("3,916", "yields 33,916") and not stands_in("1.1", "yields 1.13%") and not stands_in("13", "1.13")
    )
    assert stands_in("three", "in three runs") and not stands_in("three", "threefold")


def test_facts_are_tested_for_every_paper():
    assert {name.split("/")[0] for name in TABLES if TABLES[name] == FACTS} == set(TEXTS)
