"""Pictures to move: a table of marks for every setting, drawn by matplotlib here and by explore.js in the book.

    picture = Explorable(rows, x="balanced", y="accuracy", of="validator", choose={"right": 13, "validator": "o3 V"},
                         says="{validator}: {accuracy} % accurate if {right} % of the answers are right")
    out.figure(picture.draw(), "synthesis/explore_right", claim=..., alt=..., explore=picture)

The page computes nothing: every number that a setting shows stands in `rows`, already rounded. So the book without a
server, the sliders of JupyterLab and the saved picture show the same.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from proctor.report.frame import FULL
from proctor.report.roles import BLUE, GREEN, GREY, PURPLE, VERMILLION

ALL = "all"
LOOKS = tuple(zip((BLUE, VERMILLION, GREEN, PURPLE, GREY), "os^DX"))  # of the groups, in their order


@dataclass
class Explorable:
    """rows: one for each mark of each setting. x, y, of, group: columns; text gives an axis of names, in the order of
    the rows; `of` names a mark, `group` gives its colour; columns low and high are limits, along x if y has names,
    else along y. choose: {column: its first value}: if the picture draws that column the marks with this value are in
    ink (ALL: all of them), else they are the only ones. joined: the marks of a group are a line. says: what a mark
    says, with columns in braces. names: labels of columns. formats: as `format` takes them. link: column of notebooks'
    names.
    """

    rows: pd.DataFrame
    x: str
    y: str
    of: str
    group: str
    choose: Mapping[str, Any]
    says: str
    names: Mapping[str, str]
    joined: bool = False
    link: str = ""
    log: bool = False
    diagonal: bool = False  # draw the line on which x is y, both in percent
    height: float = 3.4
    formats: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shown = {
            name: ["" if pd.isna(value) else self._as_text(name, value) for value in column]
            for name, column in self.rows.items()
        }
        self.text = pd.DataFrame(shown, dtype=str)  # the rows as they are shown; what is not known is empty
        self.groups = list(dict.fromkeys(self.text[self.group]))
        self.numeric = [name for name, column in self.rows.items() if pd.api.types.is_numeric_dtype(column)]
        self.limits = ["low", "high"] if {"low", "high"} <= set(self.rows) else []
        self.along = "y" if self.y in self.numeric else "x"  # the axis along which limits lie
        self.axes = {"x": self._axis(self.x), "y": self._axis(self.y)}

    def values(self, column: str) -> list[str]:
        """What can be chosen of a column, in the order of the rows; numbers by size."""
        found = list(dict.fromkeys(self.text[column]))
        if column in self.numeric:
            return sorted(found, key=float)
        return [ALL, *found] if self.choose[column] == ALL else found

    def start(self) -> dict[str, str]:
        """The first settings, as text. Raises ValueError for a value that no row has."""
        start = {name: self._as_text(name, value) for name, value in self.choose.items()}
        for name, value in start.items():
            if value not in self.values(name):
                raise ValueError(f"choose={{{name!r}: {value!r}}}: no row has this value; give one of the column")
        return start

    def shown(self, chosen: Mapping[str, str]) -> tuple[pd.DataFrame, pd.Series]:
        """(the rows of one setting as text, which of them are in ink)."""
        text = self.text
        ink = pd.Series(True, index=text.index)
        keep = ink.copy()
        for name, value in chosen.items():
            if value != ALL:
                which = ink if name in (self.x, self.y, self.of, self.group) else keep
                which &= text[name] == value
        return text[keep], ink[keep]

    def page(self) -> dict[str, Any]:
        """What explore.js draws: settings, axes, and the rows as lines of numbers of the `texts` of each column."""
        codes = {name: pd.factorize(column) for name, column in self.text.items()}
        lines = np.column_stack([numbers for numbers, _ in codes.values()])
        low, high = self.limits or ("", "")
        return dict(
            axes=self.axes, of=self.of, group=self.group, joined=self.joined, says=self.says, names=dict(self.names),
            link=self.link, log=self.log, diagonal=self.diagonal, start=self.start(), height=round(110 * self.height),
            low=low, high=high, along=self.along, groups=self.groups,
            choose={name: self.values(name) for name in self.choose},
            numeric=[name for name in self.choose if name in self.numeric],
            columns=list(self.text), texts={name: "\t".join(found) for name, (_, found) in codes.items()},
            rows="\n".join(" ".join(map(str, line)) for line in lines.tolist()),
        )  # fmt: skip

    def draw(self, **chosen: str) -> Figure:
        """The picture of one setting (default: the first)."""
        part, ink = self.shown(self.start() | chosen)
        fig, ax = plt.subplots(figsize=(FULL, self.height))
        if self.log:
            ax.set_yscale("log")
        xs, ys = (
            np.array(pd.to_numeric(part[name]) if name in self.numeric else pd.factorize(part[name])[0], float)
            for name in (self.x, self.y)
        )
        dots = self.x not in self.numeric and self.y not in self.numeric  # by two categories
        if dots:
            _spread(part.groupby([self.x, self.y], sort=False), xs, ys)
        for (colour, marker), name in zip(LOOKS, self.groups):
            own = (part[self.group] == name).to_numpy()
            x, y, full = xs[own], ys[own], ink.to_numpy()[own]
            if not own.any():
                continue
            if self.joined:
                lead = full.any() or self.group not in self.choose
                ax.plot(x, y, color=colour, linewidth=1.8 if lead else 0.9, alpha=1 if lead else 0.45, label=name)
            if self.limits:
                ends = part.loc[own, self.limits].apply(pd.to_numeric).to_numpy().T
                lines, at = (ax.hlines, y) if self.along == "x" else (ax.vlines, x)
                lines(at, *ends, color=colour, linewidth=1, alpha=0.5)
            if not self.joined:
                ax.plot(x[~full], y[~full], marker, color=colour, alpha=0.35, markersize=3.5)
            ax.plot(x[full], y[full], marker, color=colour, markersize=6 if full.sum() < 3 else 4,
                    label="" if self.joined else name)  # fmt: skip
        for axis, it in zip((ax.xaxis, ax.yaxis), self.axes.values()):
            if it["column"] in self.numeric:
                axis.set_ticks(it["ticks"])
            else:
                names = list(dict.fromkeys(part[it["column"]]))
                axis.set_ticks(range(len(names)), names)
                axis.set_tick_params(length=0)
        ax.set(
            xlim=self.axes["x"]["ends"] or (-0.6, len(ax.get_xticks()) - 0.4),
            ylim=self.axes["y"]["ends"] or (len(ax.get_yticks()) - 0.4, -0.6),
            xlabel=self.names.get(self.x, self.x),
            ylabel=self.names.get(self.y, self.y) if self.y in self.numeric else "",
        )
        if self.log:
            ax.yaxis.set_major_formatter("{x:,.0f}")
            ax.yaxis.set_minor_locator(NullLocator())
        if self.diagonal:
            ax.axline((0, 0), slope=1, color=GREY, linewidth=0.8)
        if dots:
            fig.legend(loc="outside lower center", ncols=3)
        elif len(self.groups) > 1:
            ax.legend(title=self.names.get(self.group, ""), fontsize=7, title_fontsize=7, loc="best")
        return fig

    def widget(self) -> Any:
        """The same with sliders and lists of ipywidgets, for JupyterLab."""
        from ipywidgets import Dropdown, SelectionSlider, interactive

        def show(**chosen: str) -> None:
            self.draw(**chosen)
            plt.show()
            print(self.sentence(chosen))

        controls = {}
        for name, value in self.start().items():
            kind = SelectionSlider if name in self.numeric else Dropdown
            about = dict(description=self.names.get(name, name), style={"description_width": "initial"})
            controls[name] = kind(options=self.values(name), value=value, **about)
        return interactive(show, **controls)

    def _ipython_display_(self) -> None:
        """The sliders; in a run by the workflow, which has no front end, what they say at first."""
        from IPython.display import display

        if "PROCTOR_NOTEBOOK" in os.environ:
            print(self.sentence(self.start()))
        else:
            display(self.widget())

    def sentence(self, chosen: Mapping[str, str]) -> str:
        """What the marks in ink say; of more than three, how many there are of each group."""
        part, ink = self.shown(chosen)
        inked = part[ink]
        if len(inked) <= 3:
            return " ".join(self.says.format(**row) + "." for row in inked.to_dict("records"))
        all_of = f"In ink {len(inked)} of {len(part)}: " if len(inked) < len(part) else ""
        groups = inked[self.group].value_counts(sort=False)
        return all_of + ", ".join(f"{n} {name}" for name, n in groups.items()) + "."

    def _as_text(self, column: str, value: Any) -> str:
        return format(value, self.formats.get(column, "" if isinstance(value, str) else "g"))

    def _axis(self, column: str) -> dict[str, Any]:
        """The ends of an axis over all settings and round values between them; an axis of names has none."""
        if column not in self.numeric:
            return dict(column=column, ends=[], ticks=[])
        beside = self.limits if column == getattr(self, self.along) else []
        values = self.rows[[column, *beside]].to_numpy(float)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        room, where = 0.04 * (high - low), MaxNLocator(6, steps=[1, 2, 5, 10])
        ends = [0, 100] if self.diagonal else [low - room, high + room]
        if self.log and column == self.y:
            ends, where = [low / 1.3, high * 1.3], LogLocator(subs=(1, 2, 5))
        ticks = [float(f"{tick:.6g}") for tick in where.tick_values(*ends) if ends[0] <= tick <= ends[1]]
        return dict(column=column, ends=ends, ticks=ticks)


def _spread(cells: Any, x: np.ndarray, y: np.ndarray, columns: int = 5) -> None:
    """Move the marks of each cell beside one another, in lines of `columns`."""
    for where in cells.indices.values():
        turn = np.arange(len(where))
        lines = -(-len(where) // columns)
        x[where] += (turn % columns - (columns - 1) / 2) * 0.8 / columns
        y[where] += (turn // columns - (lines - 1) / 2) * 0.8 / max(lines, 4)
