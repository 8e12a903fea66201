"""How two versions of an artifact differ."""

import io
import json

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from proctor.workflow.values import ADDED, DATA, DIFFERS, MISSING, SAME, WITHIN, compare

TABLE = "model,n,low\na,3,0.25\nb,4,0.5\n"


def png(*pixels: tuple[int, int, int], size: tuple[int, int] = (10, 10), comment: str = "") -> bytes:
    """A white picture, with these pixels in its first row."""
    picture, about, file = Image.new("RGB", size, "white"), PngInfo(), io.BytesIO()
    for place, colour in enumerate(pixels):
        picture.putpixel((place, 0), colour)
    about.add_text("Software", comment)
    picture.save(file, "PNG", pnginfo=about)
    return file.getvalue()


def svg(number: str, name: str = "pa12b3c4d5e", title: str = "Gains", comment: str = "") -> str:
    return (
        f'<svg><title>{title}</title><metadata>{comment}</metadata><path id="{name}" d="M {number} 2"/>'
        f'<use href="#{name}"/></svg>'
    )


def record(version: str = "1.0", digest: str = "aa", **more) -> str:
    return json.dumps(
        {"code": {"versions": {"numpy": version}}, "inputs": [{"path": "x.csv", "sha256": digest}]} | more
    )


@pytest.mark.parametrize(
    "name, before, after, outcome, where",
    [
        ("a.csv", TABLE, TABLE, SAME, ""),
        ("a.csv", None, TABLE, ADDED, ""),
        ("a.csv", TABLE, None, MISSING, ""),
        ("a.csv", TABLE, "low,n,model\n0.250,3,a\n5e-1,4.0,b\n", DATA, ""),  # the order of columns, the form of numbers
        ("a.csv", TABLE, TABLE.replace("0.25", "0.25000001"), WITHIN, "a, low"),
        ("a.csv", TABLE, TABLE.replace("0.25", "0.2501"), DIFFERS, "a, low"),
        ("a.csv", TABLE, TABLE.replace("0.25", ""), DIFFERS, "a, low"),
        ("a.csv", TABLE, TABLE.replace("0.5", "inf"), DIFFERS, "b, low"),
        ("a.csv", "x\n1e-17\n", "x\n0\n", DATA, ""),  # what a sum of rounding errors leaves
        ("a.csv", "x\n1\n2\n", "x\n1\n3\n", DIFFERS, "row 2, x"),
        ("a.csv", TABLE, "model,n,low\nb,4,0.5\na,3,0.25\n", DIFFERS, "order of rows"),
        ("a.csv", TABLE, "model,n,low\na,3\n", DIFFERS, "a, low"),  # cut off
        ("a.csv", TABLE, "", DIFFERS, ""),  # not a table
        ("a.json", record(), json.dumps(json.loads(record()), indent=1, sort_keys=True), DATA, ""),
        ("a.json", record(), record("1.1"), DATA, ""),
        ("a.json", record(), record(digest="bb"), DIFFERS, "inputs[0].sha256"),
        ("a.json", '{"x": 1}', '{"x": true}', DIFFERS, "x"),
        ("a.md", "| 0.4500 |", "| 0.45 |", DATA, ""),
        ("a.md", "| one | 0.45 |", "| two | 0.45 |", DIFFERS, "line 1"),
        ("a.svg", svg("1.5"), svg("1.5", comment="later", name="pffffffffff"), DATA, ""),
        ("a.svg", svg("1.5"), svg("1.5000001", name="pffffffffff"), WITHIN, "line 1, number 2"),
        ("a.svg", svg("1.5"), svg("1.6"), DIFFERS, "line 1, number 2"),
        ("a.svg", svg("1.5"), svg("1.5", title="Losses"), DIFFERS, "line 1"),
        ("a.png", png(), png(comment="made later"), DATA, ""),
        ("a.png", png(), png((255, 255, 250)), WITHIN, "pixel (0, 0)"),
        ("a.png", png(), png((255, 250, 255), (0, 255, 255)), DIFFERS, "pixel (1, 0)"),
        ("a.png", png(), png(size=(10, 11)), DIFFERS, "size"),
        ("a.png", png(), b"no picture", DIFFERS, ""),
    ],
)
def test_how_a_file_differs(name, before, after, outcome, where):
    contents = (content.encode() if isinstance(content, str) else content for content in (before, after))
    found = compare(name, *contents)
    assert (found.outcome, found.where) == (outcome, where), found
    assert found.fine == (outcome in (SAME, DATA, WITHIN))


def test_the_largest_difference_is_told_with_its_cell_and_size():
    found = compare("a.csv", TABLE.encode(), TABLE.replace("0.25", "0.2").replace("0.5", "0.49").encode())
    assert (found.changed, found.of, found.before, found.after) == (2, 6, "0.25", "0.2")
    assert found.relative == pytest.approx(0.2)
    assert found.detail == "2 of 6 differ, most at a, low: 0.25 -> 0.2 (relative 0.2)"


def test_the_share_of_pixels_and_their_largest_difference_are_told():
    found = compare("a.png", png(), png((255, 155, 255), (255, 255, 254)))
    assert (found.changed, found.of) == (2, 100) and found.relative == pytest.approx(100 / 255)
    assert found.note == "2 % of pixels, at most 100 of 255 levels"


def test_rows_are_matched_by_what_names_them():
    """One new row at the top is one row, not a change of every row below it."""
    found = compare("a.csv", TABLE.encode(), (TABLE.replace("a,3", "z,1,0.1\na,3")).encode())
    assert (found.changed, found.note) == (3, "1 row added") and found.where.startswith("z, ")
    found = compare("a.csv", b"model,n\nx,1\nx,2\n", b"model,n\nx,1\nx,3\n")  # nothing names them
    assert (found.changed, found.where) == (1, "row 2, n")
