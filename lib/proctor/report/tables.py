"""Tables that are read (Markdown) and computed with (CSV), with the same provenance as figures.

`python -m proctor.report.tables uq/table_S10` writes the LaTeX (booktabs) of saved tables to build/tex."""

import argparse
import html
import math
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from proctor import paths
from proctor.files import harmless, write_atomic
from proctor.report import provenance

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "×": r"$\times$",
    "∪": r"$\cup$",
    "⇒": r"$\Rightarrow$",
    "→": r"$\to$",
    "±": r"$\pm$",
    "κ": r"$\kappa$",
    "Δ": r"$\Delta$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "−": r"$-$",
    "–": "--",
} | {special: "\\" + special for special in "&%_#${}"}
ROWS = 500  # of a table to be read: what is longer is data, and whole in the CSV alone
ROWS_SHOWN, COLUMNS_SHOWN = 30, 8  # in a page; the files have all
_INTERVAL_FORMAT = re.compile(r"\.\d+[f%]")

NEEDED = ("needed", "items_needed", "items_for_80_percent")  # columns of numbers of units that a study would take
MOST = 10_000  # of these, as `stats.power.MOST`
Format = str | Callable[[object], str]


def with_interval(estimate: float, low: float, high: float, how: str = ".2f") -> str:
    """An estimate with its limits, as `how` formats fractions; without finite limits the estimate alone, NaN is empty.

    >>> with_interval(0.45, 0.36, 0.54), with_interval(0.4521, 0.3611, 0.5432, ".1%"), with_interval(0.45, math.nan, 1)
    ('0.45 [0.36, 0.54]', '45.2% [36.1, 54.3]', '0.45')
    """
    if pd.isna(estimate):
        return ""
    point, *limits = (format(value, f"z{how}") for value in (estimate, low, high))
    return point if pd.isna(low) or pd.isna(high) else f"{point} [{', '.join(limits).replace('%', '')}]"


def save_table(
    df: pd.DataFrame,
    record: Mapping[str, Any],
    *,
    caption: str = "",
    formats: Mapping[str, Format] | None = None,
    intervals: Mapping[str, tuple[str, str]] | None = None,
    text: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Write figures/<name>.csv (floats with twelve significant digits), .md and .json (provenance).

    record: what `provenance.describe` says of it.
    formats: column -> format spec (".2f", ".1%") or function of the value; floats default to four digits,
    missing values are left empty. intervals: estimate column -> (low column, high column): the text
    tables show them as one "0.45 [0.36, 0.54]" (formats may say ".Nf" or ".N%"), the CSV keeps all three. Without it
    those of `intervals_in` are.
    A named index is written as columns; an unnamed one must be of numbers and is left out.
    Raises ValueError for an unknown column in formats or intervals, doubled column names, and rows whose
    `canary` says that they must not be published; nothing is then written.

    The text form holds the first ROWS rows and says so. text: another one than the frame's own, for tables whose CSV
    has more columns than a reader wants. Returns the text form that the Markdown has.
    """
    name = record["artifact"]
    df = _flat(df, name)
    rounded = df.map(lambda value: float(f"{value:.12g}") if isinstance(value, float) else value)
    intervals = intervals_in(rounded, formats or {}) if intervals is None else intervals
    shown = _shown(df, name, formats or {}, intervals) if text is None else text
    numeric = [each for each in shown if each in intervals or each in df and pd.api.types.is_numeric_dtype(df[each])]
    rest = len(shown) - ROWS
    part = shown if rest <= 0 else shown.head(ROWS)
    caption = caption if rest <= 0 else f"{caption} (the first {ROWS} of {len(shown)} rows; all are in the CSV)".strip()
    provenance.write(
        record,
        {
            ".csv": _harmless(rounded).to_csv(index=False, lineterminator="\n"),
            ".md": to_markdown(part, numeric, caption, provenance.label(record)),
        },
    )
    return shown


def intervals_in(df: pd.DataFrame, formats: Mapping[str, Format]) -> dict[str, tuple[str, str]]:
    """{estimate: (low, high)} by the names of columns: x, x_low, x_high; and low, high right after their estimate.

    Left out: an estimate that lies outside of such limits in some row (they are another column's), and one whose format
    is none of an interval.
    """
    columns = list(df.columns)
    found = {column: (f"{column}_low", f"{column}_high") for column in columns if f"{column}_low" in columns}
    if "low" in columns[1:] and columns[columns.index("low") + 1 :][:1] == ["high"]:
        found[columns[columns.index("low") - 1]] = ("low", "high")
    return {
        column: limits
        for column, limits in found.items()
        if limits[1] in columns and all(pd.api.types.is_numeric_dtype(df[each]) for each in (column, *limits))
        if not ((df[column] < df[limits[0]]) | (df[column] > df[limits[1]])).any()
        if _INTERVAL_FORMAT.fullmatch(str(formats.get(column, ".2f")))
    }


def to_markdown(shown: pd.DataFrame, numeric: Collection[str], caption: str, label: str, rest: str = "") -> str:
    """A GitHub table of a frame of text. numeric: the columns that are set to the right; rest: a line below it."""
    rows = [list(shown.columns), *shown.to_numpy().tolist()]
    lines = ["| " + " | ".join(escape_markdown(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("---:" if column in numeric else "---" for column in shown) + "|")
    heading = [escape_markdown(caption), ""] if caption else []
    return "\n".join([*heading, *lines, *(["", rest] if rest else []), "", f"*{escape_markdown(label)}*"]) + "\n"


def read_markdown(text: str) -> tuple[pd.DataFrame, list[str], str, str]:
    """(frame of text, its columns set to the right, caption, label): what `to_markdown` was given."""
    lines = [line for line in text.splitlines() if line]
    heads, rule, *rows = [cells(line) for line in lines if line.startswith("|")]
    *caption, label = [_unescaped(line) for line in lines if not line.startswith("|")]
    numeric = [head for head, side in zip(heads, rule) if side.endswith(":")]
    return pd.DataFrame(rows, columns=heads, dtype=object), numeric, "".join(caption), label[1:-1]


def cells(line: str) -> list[str]:
    """The texts of a line of a table in Markdown."""
    return [_unescaped(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _unescaped(markdown: str) -> str:
    return html.unescape(re.sub(r"\\(.)", r"\1", markdown))


def excerpt(markdown: str, place: str, columns: Sequence[str] = (), rows: int = 0) -> str:
    """A saved table as a page shows it: 30 rows, the named columns or the first 8, and what is left out.

    place: the file's path without the ending. columns: names that the file does not have are passed over. rows: of the
    CSV, where it has more than ROWS.
    """
    shown, numeric, caption, label = read_markdown(markdown)
    named = [column for column in columns if column in shown]
    part = shown[named or shown.columns[:COLUMNS_SHOWN]].head(ROWS_SHOWN)
    more, wide = max(rows, len(shown)) - len(part), 0 if named else len(shown.columns) - len(part.columns)
    left = [f"{count} more {what}" for count, what in ((more, "rows"), (wide, "columns")) if count]
    rest = f"… {' and '.join(left)} in {place}.csv" if left else ""
    return plain(to_markdown(part, numeric, caption, label, rest))


def plain(text: str) -> str:
    """Markdown whose dollars stand for themselves: neither the book nor a code host takes two of them for a formula."""
    return text.replace("$", "<span>&#36;</span>")


def to_tex(markdown: str, name: str) -> str:
    """A booktabs table (for \\usepackage{booktabs}) of what `to_markdown` wrote; name: the table's."""
    shown, numeric, caption, evidence = read_markdown(markdown)
    tex = (
        shown.style.hide(axis="index")
        .format(_tex_cell)
        .format_index(_tex_cell, axis="columns")
        .to_latex(
            column_format="".join("r" if column in numeric else "l" for column in shown),
            caption=escape_tex(caption) or None,
            label=f"tab:{name}",
            position_float="centering",
            hrules=True,
        )
    )
    below = rf"\par\smallskip{{\footnotesize {escape_tex(evidence)}}}"
    return tex.replace("\\end{table}", f"{below}\n\\end{{table}}")


def _tex_cell(text: str) -> str:
    return ("{}" if text[:1] in ("[", "*") else "") + escape_tex(text)  # after \\ TeX takes these for its own arguments


def _harmless(df: pd.DataFrame) -> pd.DataFrame:
    """The frame as a CSV may hold it, without text that a spreadsheet would compute."""
    texts = [name for name in df if df[name].dtype == object or pd.api.types.is_string_dtype(df[name])]
    safe = {name: pd.Series([harmless(cell) for cell in df[name]], df.index, dtype=object) for name in texts}
    return df.assign(**safe).rename(columns=harmless)


def escape_markdown(text: str) -> str:
    """Text that a GitHub table shows as it is, on one line."""
    return re.sub(r"([\\|*_`])", r"\\\1", html.escape(" ".join(text.split()), quote=False))


def escape_tex(text: str) -> str:
    """Text that LaTeX sets as it is, on one line."""
    return "".join(_TEX.get(letter, letter) for letter in " ".join(text.split()))


def _flat(df: pd.DataFrame, name: str) -> pd.DataFrame:
    """The frame with its named index as columns, its column names checked."""
    if any(level is not None for level in df.index.names):
        df = df.reset_index()
    elif not pd.api.types.is_numeric_dtype(df.index):
        raise ValueError(f"{name}: the rows' names would be lost; name the index, e.g. df.rename_axis('model')")
    columns = list(df.columns)
    bad = [column for column in columns if not isinstance(column, str) or columns.count(column) > 1]
    if bad or not columns:
        raise ValueError(f"{name}: columns must have distinct names that are text; fix {bad or 'the empty table'}")
    if "canary" in df and any(isinstance(text, str) and text for text in df["canary"]):
        raise ValueError(
            f"{name}: column canary marks rows that must not be published; "
            "drop the questions' text, and then that column"
        )
    return df


def _shown(df: pd.DataFrame, name: str, formats: Mapping, intervals: Mapping) -> pd.DataFrame:
    """The frame as text, limits merged into their estimates."""
    limits = [column for pair in intervals.values() for column in pair]
    unknown = {*formats, *intervals, *limits} - set(df.columns)
    if unknown:
        raise ValueError(f"{name}: no column {', '.join(sorted(unknown))}; there are {', '.join(df.columns)}")
    shown = {}
    for column in df.columns:
        if column in intervals:
            how = str(formats.get(column, ".2f"))
            if not _INTERVAL_FORMAT.fullmatch(how):
                raise ValueError(f"{name}: column {column} is an interval: its format must be like .2f or .1%")
            low, high = intervals[column]
            shown[column] = [with_interval(*row, how) for row in zip(df[column], df[low], df[high])]
        elif column not in limits:
            most = MOST if column in NEEDED else math.inf
            shown[column] = [_text(value, formats.get(column), most) for value in df[column]]
    return pd.DataFrame(shown, dtype=object)


def _text(value, how: Format | None, most: float) -> str:
    """A value as text: above `most`, whether it was computed or not (inf), in words."""
    if pd.api.types.is_number(value) and value > most:
        return f"more than {most:,}"
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if callable(how):
        return how(value)
    if pd.api.types.is_bool(value):
        return "yes" if value else "no"
    if how is not None:
        return format(value, how)
    if pd.api.types.is_float(value):
        return format(value, "z.4g" if abs(value) < 10_000 else "z.0f")
    return str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m proctor.report.tables", description="The LaTeX of saved tables.")
    parser.add_argument("names", nargs="+", metavar="PAPER/TABLE", help="such as uq/table_S10")
    given = parser.parse_args(arguments)
    if lacking := [name for name in given.names if not (paths.FIGURES / f"{name}.md").is_file()]:
        parser.error(f"no table {', '.join(lacking)} in {paths.FIGURES}; their files end in .md")
    for name in given.names:
        path = paths.BUILD / "tex" / f"{name}.tex"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, to_tex((paths.FIGURES / f"{name}.md").read_text(encoding="utf-8"), name))
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
