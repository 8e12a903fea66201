"""What a notebook hands out: tables, figures and claims, each with its provenance, none of it said twice.

    out = Output(evidence="measured")
    gain = out.claim("uq/finding_1", "Pipelines gain balanced accuracy over single checks", estimate=-1.2,
                     interval=(-7.0, 0.4), says="> 0", n=500, of="answers", unit="points", expect="cannot tell")
    out.figure(fig, "uq/fig_S10", claim=gain, alt="...")
    out.table(df, "uq/findings_table", caption="...")

Files go to build/figures/ in JupyterLab and in a single run; `make reproduce` writes figures/ itself.
`Output` knows the notebook, the data files that its metadata names, its parameters and seed, and whether these are
the defaults. Outside IPython nothing is displayed; the files are the same.
"""

import base64
import html
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from proctor import log_files, paths
from proctor.report import claims, figures, provenance, tables
from proctor.report.claims import Claim
from proctor.report.frame import refuse
from proctor.workflow import params
from proctor.workflow.notebook import Notebook

_TONE = {claims.HOLDS: "#1B5E20", claims.FAILS: "#B71C1C", claims.UNSETTLED: "#5D4037"}


class Output:
    """The outputs of one run of one notebook. Make it once, after the cell of parameters.

    evidence: the default for all of them. notebook: a path or a name such as "uq/3_validators", needed only where
    neither the workflow (PROCTOR_NOTEBOOK) nor JupyterLab (JPY_SESSION_NAME) names it. namespace: where the
    parameters' present values are (default: the notebook's variables; outside IPython give `globals()`).

    name: "uq/3_validators"; paper: the folder of its claims; inputs: the data files, relative to the checkout, and
    the logs (metadata {"proctor": {"logs": ["llmbar", ...]}}); parameters: {name: value}; at_defaults: whether they
    all are what `make reproduce` runs with, on the logs that the committed results rest on.
    Raises ValueError when the notebook can't be found, its data are not there, or a parameter is gone; LogsMissing
    when its logs are not on this machine.
    """

    def __init__(
        self,
        evidence: str | Sequence[str],
        notebook: str | None = None,
        namespace: Mapping[str, Any] | None = None,
    ):
        figures.style()
        found = _find(notebook)
        self.name = found.name
        self.paper = self.name.rpartition("/")[0] or "start"
        self.evidence = evidence
        files = sorted({path.relative_to(paths.ROOT).as_posix() for path in found.data()})
        logs = [each for name in found.logs for each in log_files.inputs(name)]
        self.inputs: list[str | tuple[str, str]] = [*files, *logs]
        defaults = default_parameters(found)
        self.parameters = _present(self.name, defaults, namespace)
        self.at_defaults = self.parameters == defaults and all(log_files.as_pinned(name) for name in found.logs)
        self.seed: int | None = self.parameters.get("seed")
        self.claims: list[Claim] = []
        self._expected: dict[str, str] = {}  # the verdicts that claims expect, by id
        self._shown: dict[str, int] = {}  # by claim, the execution that made and showed it
        if shell := _shell():
            shell.display_formatter.ipython_display_formatter.for_type(Claim, self._show_again)
        self._explores = not os.environ.get("PROCTOR_NOTEBOOK")  # in JupyterLab; the workflow names its notebook

    def rng(self) -> np.random.Generator:
        """A fresh generator of the notebook's seed. Raises ValueError when it has no parameter `seed`."""
        if self.seed is None:
            raise ValueError(f"{self.name} has no parameter seed; add `seed: int = 20260101` to its parameters cell")
        return np.random.default_rng(self.seed)

    def table(
        self,
        df: pd.DataFrame,
        name: str,
        *,
        caption: str = "",
        evidence: str | Sequence[str] | None = None,
        formats: Mapping[str, tables.Format] | None = None,
        intervals: Mapping[str, tuple[str, str]] | None = None,
        note: str = "",
        show: bool | Sequence[str] = True,
    ) -> None:
        """Write figures/<name>.csv (floats with twelve significant digits), .md and .json, and show the table.

        formats, intervals: as in `tables.save_table`, which joins x, x_low, x_high by itself. show: False for the files
        only, or the columns to show (a column that `intervals` merged is shown under its estimate's name). The page has
        at most 8 columns and 30 rows, and says what is left out.
        """
        record = self._record(name, evidence, ("numpy", "pandas"), note)
        shown = tables.save_table(df, record, caption=caption, formats=formats, intervals=intervals)
        if show is False:
            return
        columns = [] if show is True else list(show)  # type: ignore[arg-type]
        if unknown := [column for column in columns if column not in shown]:
            raise ValueError(f"{name}: no column {', '.join(unknown)} to show; there are {', '.join(shown.columns)}")
        file, place = paths.OWN_FIGURES / f"{name}.md", f"{provenance.relative(paths.OWN_FIGURES)}/{name}"
        text = tables.excerpt(file.read_text(encoding="utf-8"), place, columns, len(df))
        _show({"text/markdown": text, "text/plain": text}, {"artifact": name})

    def figure(
        self,
        fig: Figure,
        name: str,
        *,
        claim: str | Claim | Sequence[Claim],
        alt: str,
        title: str = "",
        evidence: str | Sequence[str] | None = None,
        note: str = "",
        explore: figures.Explorable | None = None,
    ) -> None:
        """Write figures/<name>.svg, .png and .json, show that very PNG, and close the figure.

        claim: see `figures.save`, which also says what makes it raise ValueError. title: the finding in the picture's
        own words, written for the verdict that the claim expects; under another one the claim's sentence is drawn.
        In JupyterLab what breaks a house rule, such as another width, is drawn all the same, with a grey line.
        explore: what can be moved in the picture; its sliders stand below it in JupyterLab, in the book in its place.
        """
        first = None if isinstance(claim, str) else claim if isinstance(claim, Claim) else claim[0]
        if first and first.verdict != self._expected.get(first.id):
            title = ""
        record = self._record(name, evidence, ("matplotlib", "numpy"), note)
        complain = _note if self._explores else refuse
        figures.save(fig, record, claim=claim, alt=alt, title=title, explore=explore, complain=complain)
        plt.close(fig)
        png = (paths.OWN_FIGURES / f"{name}.png").read_bytes()
        title = title or (first.finding if first else str(claim))
        width = round(figures.PIXELS * fig.get_size_inches()[0])
        _show(
            {"image/png": base64.b64encode(png).decode(), "text/plain": f"[figure {name}] {title}. {alt}"},
            {"artifact": name, "image/png": {"alt": alt, "width": width}},
        )
        if explore and self._explores and _shell() is not None:
            from IPython.display import display

            display(explore)

    def not_drawn(self, name: str, why: str) -> None:
        """Say in a grey line of JupyterLab why a figure can't be drawn of the rows that are left. Raises ValueError in
        the workflow, where every figure is due."""
        if not self._explores:
            raise ValueError(f"{name} is not drawn: {why}")
        _note(f"{name} is not drawn: {why}")

    def claim(
        self,
        id: str,
        sentence: str,
        *,
        estimate: float | None = None,
        interval: Any = None,
        says: str = "",
        n: int | None = None,
        of: str = "",
        unit: str = "",
        level: float | None = None,
        family: int | None = None,
        holds: Any = None,
        exact: str = "",
        refuted: str = "",
        unsettled: str = "",
        evidence: str | Sequence[str] | None = None,
        expect: str | None = None,
    ) -> Claim:
        """Judge one sentence by its interval (the rule: `claims.verdict`), write it down, show it and return it.

        id: the catalog's row of kind `claim`, or <row>.<part>.
        interval, level, family: (low, high) of `level` (0.95), in a family of that many comparisons (1).
        says: what the sentence says of the quantity, "> 0", ">= 0.5", "< 1", "<= 1" or "within -5..5".
        n, of, unit: how many units were resampled, what they are, and the unit of the quantity. An `Interval` that
        knows its n, of, unit, level and family need not be told them again.
        exact: without an interval, the reason why none is needed, with estimate and says, or with holds: True, False,
        or pd.NA where a row that it needs is not in the table (nullable columns of pandas give it by themselves:
        `(shares.reindex(names) > 0).all(skipna=False)`).
        refuted, unsettled: the sentence for the two other verdicts.
        expect: the verdict at the default parameters, asserted only there and only by the workflow; in JupyterLab a
        grey line says that it is another one.

        Raises ValueError for what does not fit together, AssertionError for another verdict than expected.
        """
        if expect is not None and expect not in claims.VERDICTS:
            raise ValueError(f"claim {id}: expect={expect!r}; it is one of {', '.join(claims.VERDICTS)}")
        made = claims.judge(
            id,
            sentence,
            notebook=self.name,
            evidence=self.evidence if evidence is None else evidence,
            estimate=estimate,
            interval=interval,
            says=says,
            n=n,
            of=of,
            unit=unit,
            level=level,
            family=family,
            holds=math.nan if holds is pd.NA else holds,
            exact=exact,
            refuted=refuted,
            unsettled=unsettled,
        )
        if made.paper != self.paper and not self._explores:  # a copy of a notebook may lie anywhere
            raise ValueError(f"claim {id}: its paper is {made.paper}, the notebook's is {self.paper}")
        if expect is not None:
            self._expected[made.id] = expect
        if made.id in (claim.id for claim in self.claims) and not self._explores:
            raise ValueError(f"claim {id} is made twice in this run; give each its own id, <row>.<part>")
        self.claims = list(({claim.id: claim for claim in self.claims} | {made.id: made}).values())
        self._write_claims()
        if shell := _shell():
            self._shown[made.id] = shell.execution_count
        _show(_claim_line(made, expect is not None and not self.at_defaults))
        if expect not in (None, made.verdict) and self.at_defaults:
            if not self._explores:
                raise AssertionError(f"claim {id}: expected {expect!r}, found {made.line()}; if so, change expect=")
            _note(f"expected {expect}, found {made.verdict} ({made.id})")
        return made

    def _show_again(self, claim: Claim) -> None:
        """Show a claim that a cell ends with, unless the cell has just made it."""
        if self._shown.get(claim.id) != _shell().execution_count:
            _show(_claim_line(claim, False))

    def _write_claims(self) -> None:
        name = f"{self.paper}/claims_{self.name.rpartition('/')[2]}"
        kinds = {kind for claim in self.claims for kind in provenance.evidence_kinds(claim.evidence)}
        text = [(claim.sentence, claim.verdict, claim.numbers, claim.evidence, claim.id) for claim in self.claims]
        tables.save_table(
            pd.DataFrame([claims.as_row(claim) for claim in self.claims]),
            self._record(name, sorted(kinds), ("numpy", "pandas")),
            caption=f"Claims of notebooks/{self.name}.ipynb",
            text=pd.DataFrame(text, columns=["claim", "verdict", "numbers", "evidence", "id"], dtype=object),
        )

    def _record(
        self, name: str, evidence: str | Sequence[str] | None, packages: Sequence[str], note: str = ""
    ) -> dict[str, Any]:
        """The provenance of an artifact of this run."""
        parameters = {key: value for key, value in self.parameters.items() if key != "seed"}
        run: dict[str, Any] = dict(inputs=self.inputs, parameters=parameters, seed=self.seed, notebook=self.name)
        kinds = self.evidence if evidence is None else evidence
        return provenance.describe(name, evidence=kinds, note=note, packages=packages, **run)


def default_parameters(notebook: Notebook) -> dict[str, Any]:
    """{parameter: value} of the cell tagged `parameters`, with what params/default.yaml lays over it."""
    values, file = params.all_values(notebook, {}), paths.PARAMS / "default.yaml"
    profile = params.read_profile(file) if file.is_file() else {}
    for section in ("all", notebook.name):
        values |= {name: value for name, value in profile.get(section, {}).items() if name in values}
    return values


def _find(given: str | None) -> Notebook:
    """The notebook that runs: the workflow's, JupyterLab's, or the one given."""
    tried = [*filter(None, (os.environ.get("PROCTOR_NOTEBOOK"), os.environ.get("JPY_SESSION_NAME"), given))]
    for name in tried:
        stem = name.removesuffix(".ipynb").removeprefix("notebooks/")
        for path in (Path(name), paths.ROOT / "notebooks" / f"{stem}.ipynb"):
            if path.suffix == ".ipynb" and path.is_file():
                return Notebook(path)
    unknown = "which notebook is this? Papermill, for one, does not tell;"
    if tried:
        unknown = f"{' and '.join(tried)} is no notebook file; save it under notebooks/, or"
    raise ValueError(f"{unknown} say Output(..., notebook='uq/3_validators')")


def _present(name: str, defaults: Mapping[str, Any], namespace: Mapping[str, Any] | None) -> dict[str, Any]:
    if namespace is None:
        namespace = shell.user_ns if (shell := _shell()) else {}
    if gone := [parameter for parameter in defaults if parameter not in namespace]:
        raise ValueError(
            f"{name}: its parameters {', '.join(gone)} have no value; run the parameters cell first, or say outside of "
            "IPython where they are: Output(namespace=globals())"
        )
    return {parameter: namespace[parameter] for parameter in defaults}


def _claim_line(claim: Claim, not_asserted: bool) -> dict[str, str]:
    said = "not asserted: parameters or logs are not the defaults" if not_asserted else ""
    kind, tone = claim.verdict.replace(" ", "-"), _TONE[claim.verdict]
    word = f'<b class="verdict {kind}" style="color:{tone}">{claims.MARKS[claim.verdict]} {claim.verdict}</b>'
    small = "; ".join(filter(None, (claim.numbers, claim.evidence, claim.id, said)))
    return {
        "text/html": f'<div class="proctor-claim">{word}: {html.escape(claim.answer)} '
        f'<span class="proctor-note" style="color:#6E6E6E">({html.escape(small)})</span></div>',
        "text/plain": claim.line() + (f" [{said}]" if said else ""),
    }


def _note(text: str) -> None:
    """Show a grey line."""
    _show(
        {"text/html": f'<div class="proctor-note" style="color:#6E6E6E">{html.escape(text)}</div>', "text/plain": text}
    )


def _shell() -> Any:
    """IPython's shell where a notebook runs, without importing IPython elsewhere."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None else None


def _show(data: dict[str, str], metadata: dict[str, Any] | None = None) -> None:
    if _shell() is not None:
        from IPython.display import display

        display(data, raw=True, metadata=metadata)
