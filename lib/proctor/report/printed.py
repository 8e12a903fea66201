"""Figures for a paper: PDF without header and footer at a journal's widths, a narrow one for phones, captions as text.

    python -m proctor.report.printed uq/6_agreement            # runs the notebook; files in build/print/
    python -m proctor.report.printed uq/6_agreement --widths 3.25

A figure is laid out anew at each width, so its letters keep their size: 3.25 inches (a column), 5.5 (NeurIPS), 6.75
(ICML), and 360 pixels as PNG and SVG.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from proctor import paths
from proctor.files import write_atomic

WIDTHS = (3.25, 5.5, 6.75)  # inches
NARROW, PIXELS = 360, 100  # pixels, and how many of them are an inch
ASKED = "PROCTOR_PRINT"  # the widths, where a run shall write them too


def write_forms(fig: Figure, name: str, caption: str, widths: Sequence[float], out: Path) -> None:
    """Write <out>/<name>_5.5in.pdf for each width in inches, <name>_360px.png and .svg, and <name>.txt.

    The figure keeps its height, as it is wider or narrower; afterwards it has its own size again.
    """
    own = tuple(fig.get_size_inches())
    place = Path(out) / name
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


def widths_asked() -> list[float]:
    """The widths that the run shall print; none in a usual run."""
    return [float(width) for width in os.environ.get(ASKED, "").split()]


def main(arguments: Sequence[str] | None = None) -> int:
    from proctor.workflow.run import main as run  # here, not above: it loads papermill

    parser = argparse.ArgumentParser(description="Print a notebook's figures without header, at a journal's widths.")
    parser.add_argument("notebook", help="such as uq/6_agreement")
    parser.add_argument("--widths", type=float, nargs="+", default=WIDTHS, help="inches (default: 3.25 5.5 6.75)")
    options = parser.parse_args(arguments)
    os.environ[ASKED] = " ".join(map(str, options.widths))
    folder = paths.BUILD / "print"
    try:
        copy = folder / "notebooks" / f"{options.notebook.replace('/', '_')}.ipynb"
        return run([f"notebooks/{options.notebook}.ipynb", str(copy), "--figures", str(folder)])
    finally:
        del os.environ[ASKED]


if __name__ == "__main__":
    sys.exit(main())
