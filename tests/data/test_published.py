"""The published tables: complete, printed as in the papers, consistent with one another, checked on load."""

import math
import re
from collections import Counter

import pytest
import yaml
from proctor.data import published
from proctor.data.published import FACTS, TABLES, load_published, printed_number
from proctor.data.tabular import DataError, read_rows
from proctor.paths import PUBLISHED, ROOT
from proctor.report import catalog
from proctor.report.site_pages import PAPERS

ROWS = {"hle": 106, "uq": 496, "kina": 34, "cbu": 150, "hle_verified": 172}


def test_rows_are_those_of_the_papers_and_every_file_is_a_table():
    rows = Counter()
    for name in TABLES:
        rows[name.split("/")[0]] += len(load_published(name))
    assert rows == ROWS and {name.split("/")[0] for name in TABLES if TABLES[name] == FACTS} == set(ROWS)
    files = {path.relative_to(PUBLISHED).with_suffix("").as_posix() for path in PUBLISHED.rglob("*/*.csv")}
    assert files == set(TABLES)


def test_each_paper_has_one_source_whose_address_is_the_book_s_and_the_citation_s():
    sources = read_rows(PUBLISHED / "sources.csv")[0]
    addresses = {row["paper"]: f"https://arxiv.org/abs/{row['arxiv']}" for _, row in sources}
    assert list(addresses) == sorted(addresses, key=list(PAPERS).index) and len(addresses) == len(sources)
    assert set(addresses) == {name.split("/")[0] for name in TABLES}
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    assert {reference["url"] for reference in cited} == set(addresses.values())
    assert addresses == {paper: about.url for paper, about in PAPERS.items() if about.url}


@pytest.mark.parametrize(
    "name, decimals", [("hle/table_1", 1), ("hle/table_2", 1), ("uq/table_S1", 2), ("uq/table_S10", 2)]
)
def test_printed_precision_is_kept_with_the_value_next_to_it(name, decimals):
    frame = load_published(name)
    for column in TABLES[name].printed:
        assert {len(cell.partition(".")[2]) for cell in frame[column]} == {decimals}
        assert frame[column].astype(float).tolist() == frame[f"{column}_value"].tolist()


def test_thousands_words_and_dashes_parse_and_the_rest_is_refused():
    assert printed_number("1,143") == 1143.0 and math.isnan(printed_number("-")) and math.isnan(printed_number(""))
    words = ("zero", "Three", "fifteen", "half", "twenty", "thirty", "fifty", "hundred")
    assert [printed_number(word) for word in words] == [0, 3, 15, 0.5, 20, 30, 50, 100]
    for text in ("12%", "1,14", "nan", "1e3", " 1", "1.", ".5"):
        with pytest.raises(ValueError):
            printed_number(text)


S1, S3, UQ_FACTS = "uq/table_S1", "uq/table_S3", "uq/facts"
ROW = "uq,table_S1,B.3,o3-mini,o3-mini,V"


@pytest.mark.parametrize(
    "name, old, new, parts",
    [
        (S1, "21.60", "121.60", ["row 2, column accuracy", "outside 0 to 100"]),
        (S1, "21.60", "21.60%", ["row 2, column accuracy", "not a printed number"]),
        (S1, "21.60", "", ["row 2, column accuracy", "no value and no note"]),
        (S1, ROW, ROW.replace("B.3", ""), ["row 8, column section: empty"]),
        (S1, ROW, ROW.replace("S1", "S2"), ["row 8, column artifact"]),
        (S1, "o3-mini,o3-mini,V", "o3-mini,o3-mini,C", ["row 9, column strategy", "row 8 too"]),
        (S1, "recall,note", "Recall,note", ["row 1: the columns must be paper, artifact"]),
        (S3, "subset,3,25,", "subset,3,24,", ["row 3, column questions", "outside 25 to 500"]),
        (S3, "subset,3,25,", "subset,501,25,", ["row 3, column passed", "outside 0 to 500"]),
        (UQ_FACTS, "=,count", "about,count", ["row 2, column relation", "Choose one of = ~ < > <= >="]),
        (UQ_FACTS, "percent,15,", "percent,113,", ["row 3, column value", "outside 0 to 100"]),
        (UQ_FACTS, 'count,500,"also 1, A, A.2 (curated set)"', ",500,", ["row 2, column unit", "no value and no note"]),
    ],
)
def test_damaged_table_is_refused_with_its_place(tmp_path, monkeypatch, name, old, new, parts):
    text = (PUBLISHED / f"{name}.csv").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / f"{name}.csv"
    path.parent.mkdir()
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    monkeypatch.setattr(published, "PUBLISHED", tmp_path)
    with pytest.raises(DataError) as caught:
        load_published(name)
    for part in (str(path), *parts):
        assert part in str(caught.value)


def test_an_unknown_table_is_refused_with_those_that_there_are():
    with pytest.raises(DataError, match="hle/table_1"):
        load_published("hle/table9")


@pytest.mark.parametrize("paper", ["uq", "hle", "hle_verified", "kina", "cbu"])
def test_a_fact_says_what_it_is_once(paper):
    facts = load_published(f"{paper}/facts")
    assert facts["fact"].str.fullmatch(r"[a-z][A-Za-z0-9_]*").all()
    assert not facts.duplicated(["artifact", "section", "quantity", "value"]).any()


# what was typed, read again in the texts of the papers, which lie beside the checkout


TEXTS = {
    "uq": "uq.txt",
    "hle": "hle.txt",
    "hle_verified": "hle_verified.txt",
    "kina": "kina_review.txt",
    "cbu": "cbu.txt",
}
FOLDER = ROOT.parent / "shared" / "papers"
with_texts = pytest.mark.skipif(not FOLDER.is_dir(), reason="the texts of the papers are not at hand")
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


@with_texts
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


@with_texts
def test_the_text_of_a_paper_has_the_title_and_the_text_named_has_the_id_of_its_source(texts):
    for _, source in read_rows(PUBLISHED / "sources.csv")[0]:
        text = " ".join(texts[source["paper"]].replace("’", "'").replace("\n\n", " ").split())
        assert source["title"] in text
        assert source["arxiv"] in texts[source["id_stated_in"]]
        if source["version"]:
            stated = rf"{source['arxiv']}( · )?{source['version']}\b"
            assert source["id_stated_in"] == source["paper"] and re.search(stated, text)


@with_texts
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
