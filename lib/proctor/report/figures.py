"""House style and saving of figures, and the one import for all that draws. Plots receive estimates and compute none.

from proctor.report.figures import FULL, axes, forest
fig, ax = axes()                              # one column wide; axes(width=FULL) for a full page
forest(ax, names, accuracy, low, high, role="ours", evidence="measured")
out.figure(fig, "hle/measured_accuracy", claim=..., alt=...)      # proctor.report.output: saves and shows it

Figures for a paper, PDF without header and footer at a journal's widths, a narrow one for phones, captions as text:

    python -m proctor.report.figures uq/6_agreement            # runs the notebook; files in build/print/
    python -m proctor.report.figures uq/6_agreement --widths 3.25

A figure is laid out anew at each width, so its letters keep their size: 3.25 inches (a column), 5.5 (NeurIPS), 6.75
(ICML), and 360 pixels as PNG and SVG.
"""

import argparse
import html
import io
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from cycler import cycler
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox

from proctor import paths
from proctor.files import write_atomic
from proctor.report import provenance
from proctor.report.claims import Claim
from proctor.report.explore import Explorable
from proctor.report.frame import COLUMN, FULL, frame, is_drawn, refuse
from proctor.report.plots import dumbbell, flow, forest, heatmap, waffle
from proctor.report.roles import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, role, roles, short, shorten

HOUSE = {
    "figure.figsize": (COLUMN, 2.4),
    "figure.constrained_layout.use": True,
    "savefig.dpi": 200,
    "font.sans-serif": ["DejaVu Sans"],  # ships with matplotlib
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "axes.prop_cycle": cycler(color=[BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, BLACK]),
    "text.hinting": "no_hinting",  # hinted letters change width with the resolution, so print would cut
    "svg.fonttype": "none",  # text stays text: it can be searched, selected and read aloud
    "svg.hashsalt": "proctor",
}


def style() -> None:
    """Set the house style, whatever the machine's own matplotlibrc says. Seaborn follows it too."""
    plt.style.use(["default", HOUSE])


def axes(rows: int = 1, columns: int = 1, *, width: float = COLUMN, height: float | None = None, **how: Any) -> Any:
    """(figure, axes) as `plt.subplots` gives them, in inches; the height defaults to 0.7 of a column's width, and `how`
    goes there (sharex, ...)."""
    return plt.subplots(rows, columns, figsize=(width, 0.7 * COLUMN if height is None else height), **how)


def shared_legend(fig: Figure, *panels: Any, ncols: int = 1, **how: Any) -> None:
    """One legend below all panels, each label once; `how` goes to `fig.legend`."""
    found = {label: handle for ax in panels for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    fig.legend(list(found.values()), list(found), loc="outside lower center", ncols=ncols, **how)


def save(
    fig: Figure,
    record: dict[str, Any],
    *,
    claim: str | Claim | Sequence[Claim],
    alt: str,
    title: str = "",
    explore: Explorable | None = None,
    complain: Callable[[str], None] = refuse,
) -> None:
    """Write figures/<name>.svg, .png and .json (provenance), the same bytes on every run.

    record: what `provenance.describe` says of it. claim: the title. A Claim gives its sentence for its verdict, with a
    chip that says whether the title holds, and estimate, interval and n beneath; of several the first is drawn and all
    are recorded; a text is for a picture that claims nothing sampled. title: the finding in words that suit the
    picture, in place of the claim's. alt: what the picture shows, for readers who can't see it. explore: what the book
    can move in it. The house rules hold (`proctor.report.frame`): ValueError when something leaves the canvas, a text
    is under 6 pt, tick labels overlap or the width is neither COLUMN nor FULL; `complain` may do something else with
    that text.

    Call it last: the layout is fixed from here on.
    """
    name = record["artifact"]
    with plt.style.context(["default", HOUSE]):
        description = " ".join((alt or "").split())
        if not claim or not description:
            raise ValueError(f"{name}: give both claim= (a Claim, or a text) and alt= (what the picture shows)")
        claims = [] if isinstance(claim, str) else [claim] if isinstance(claim, Claim) else list(claim)
        first = claims[0] if claims else None
        verdict = first.verdict_of(title) if first else ""
        title = " ".join(title.split()) or (first.finding if first else " ".join(str(claim).split()))
        record = record | {"claim": title, "claim_ids": [each.id for each in claims], "alt": description}
        if explore:
            record["explore"] = explore.page()
        if first and first.estimate is not None:
            record["estimate_drawn"] = is_drawn(fig, first.estimate)
        caption = f"{title}. {description} ({record['evidence']}; {name})"
        write_forms(fig, name, caption)
        kinds = provenance.evidence_kinds(record["evidence"])
        crop = frame(fig, name, kinds, title, verdict, first.numbers if first else "", complain)
        marks_said = _name_marks(fig)
        plt.rcParams["figure.constrained_layout.use"] = False
        fig.set_layout_engine(None)  # the layout stands; with an engine, even none at work, each save draws twice
        drawn = _render(fig, "svg", crop, {"Date": None, "Creator": None, "Title": title})
        about = f"</title>\n <desc>{html.escape(description, quote=False)}</desc>"  # told to readers as one image
        drawn = drawn.decode().replace("</title>", about, 1).replace("<svg ", '<svg role="img" ', 1)
        svg = _with_values(drawn, marks_said).encode()
        png = _render(fig, "png", crop, {"Software": None, "Title": title, "Description": description})
    provenance.write(record, {".svg": svg, ".png": png})


def _render(fig: Figure, kind: str, crop: Bbox, metadata: dict) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format=kind, bbox_inches=crop, metadata=metadata)
    return buffer.getvalue()


MOST = 200  # marks of a series with titles: beyond that a dot is too small to be met


def _name_marks(fig: Figure) -> dict[str, list[str]]:
    """{id in the SVG: what each of its marks shows}; gives the artists these ids."""
    found: dict[str, list[str]] = {}
    for ax in fig.axes:
        bars = [bar for group in ax.containers if isinstance(group, BarContainer) for bar in group]
        rows, columns = _words(ax.yaxis), _words(ax.xaxis)
        for artist in [*bars, *ax.lines, *ax.collections]:
            places = _places(ax, artist, lies=bool(rows))
            said = [_said(rows, columns, x, y) for x, y in places if np.isfinite([x, y]).all()]
            if 0 < len(said) <= MOST and artist.get_gid() is None:
                name = f"mark_{len(found) + 1}"
                found[name] = said
                artist.set_gid(name)
    return found


def _with_values(svg: str, names: Mapping[str, list[str]]) -> str:
    """The SVG with a <title> in each mark, which a mouse shows; a series of which not all marks are drawn gets none."""
    for name, said in names.items():
        if not (found := re.search(rf'^( *)<g id="{name}">.*?^\1</g>', svg, re.DOTALL | re.MULTILINE)):
            continue
        pieces = re.split("(<use [^>]*)/>", found[0])  # text, mark, text, mark, ... text
        titles = [f"<title>{html.escape(text, quote=False)}</title>" for text in said]
        if len(pieces) == 2 * len(titles) + 1:
            pieces[1::2] = [f"{mark}>{title}</use>" for mark, title in zip(pieces[1::2], titles)]
        elif len(pieces) == len(titles) == 1:
            pieces = [found[0].replace(">", f">{titles[0]}", 1)]
        svg = svg[: found.start()] + "".join(pieces) + svg[found.end() :]
    return svg


def _places(ax: Axes, artist: Artist, lies: bool) -> np.ndarray:
    """(marks, 2): where the marks of an artist stand; a bar stands at its length. lies: bars lie on their side."""
    if isinstance(artist, Rectangle):
        (x, y), width, height = artist.get_center(), artist.get_width(), artist.get_height()
        return np.array([(width, y) if lies else (x, height)])
    if isinstance(artist, Line2D) and artist.get_marker() != "None" and artist.get_transform() == ax.transData:
        return np.asarray(artist.get_xydata(), float)
    if isinstance(artist, PathCollection):
        return np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)
    return np.empty((0, 2))


def _said(rows: Mapping[float, str], columns: Mapping[float, str], x: float, y: float) -> str:
    """A mark by the label of its row or column and its value; else by both values."""
    for labels, place, value in ((rows, y, x), (columns, x, y)):
        if labels:
            return f"{labels[min(labels, key=lambda tick: abs(tick - place))]}: {value:.4g}"
    return f"{x:.4g}, {y:.4g}"


def _words(axis: Axis) -> dict[float, str]:
    """{place: label} of an axis that names things; of one with numbers none."""
    labels = {at: " ".join(text.get_text().split()) for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())}
    return labels if any(re.search(r"[^\W\d]{2}", label) for label in labels.values()) else {}


JOURNALS = (3.25, 5.5, 6.75)  # inches
NARROW, PIXELS = 360, 100  # pixels, and how many of them are an inch
ASKED = "PROCTOR_PRINT"  # the widths, where a run shall write them too


def write_forms(fig: Figure, name: str, caption: str) -> None:
    """Where printed forms are asked for: write <name>_5.5in.pdf for each width in inches, <name>_360px.png and .svg,
    and <name>.txt.

    The figure keeps its height, as it is wider or narrower; afterwards it has its own size again.
    """
    if not (widths := [float(width) for width in os.environ.get(ASKED, "").split()]):
        return
    own = tuple(fig.get_size_inches())
    place = paths.OWN_FIGURES / name
    place.parent.mkdir(parents=True, exist_ok=True)
    with plt.rc_context({"pdf.fonttype": 42}):
        for width in widths:
            fig.set_size_inches(width, own[1])
            fig.savefig(
                place.with_name(f"{place.name}_{width:g}in.pdf"), metadata={"CreationDate": None, "Title": caption}
            )
        fig.set_size_inches(NARROW / PIXELS, own[1])
        for kind in ("png", "svg"):
            fig.savefig(place.with_name(f"{place.name}_{NARROW}px.{kind}"), dpi=2 * PIXELS)
    fig.set_size_inches(own)
    write_atomic(place.with_suffix(".txt"), caption + "\n", durable=False)


def main(arguments: Sequence[str] | None = None) -> int:
    from proctor.workflow.notebook import WorkflowError  # here, not above: this loads papermill
    from proctor.workflow.run import job_into, run_alone

    parser = argparse.ArgumentParser(description="Print a notebook's figures without header, at a journal's widths.")
    parser.add_argument("notebook", help="such as uq/6_agreement")
    parser.add_argument("--widths", type=float, nargs="+", default=JOURNALS, help="inches (default: 3.25 5.5 6.75)")
    options = parser.parse_args(arguments)
    os.environ[ASKED] = " ".join(map(str, options.widths))
    try:
        return run_alone(job_into(paths.BUILD / "print", options.notebook, {}))
    except WorkflowError as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        del os.environ[ASKED]


if __name__ == "__main__":
    sys.exit(main())
