"""All figures on one sheet, at the width at which they are read, by notebook, with title and verdict: to look at them
one by one.

    python -m proctor.report.sheet        # or: make sheet; build/sheet.html
"""

import json
import os
import sys
from html import escape
from pathlib import Path

from proctor import paths
from proctor.files import write_atomic
from proctor.report.claims import MARKS, read_claims
from proctor.report.site_evidence import PNG_PER_INCH, shown_size

STYLE = """body { font: 15px/1.4 sans-serif; margin: 1.5rem; } h2 { margin-top: 2.5rem; border-top: 1px solid; }
figure { display: inline-block; vertical-align: top; margin: 1rem 1.5rem 1rem 0; }
img { display: block; border: 1px solid #ddd; }
figcaption { max-width: 48rem; } code { color: #555; }"""


def sheet(figures: Path, place: Path) -> str:
    """HTML of the figures of a folder, for a file in the folder `place`."""
    verdicts = {claim.id: claim.verdict for claim in read_claims(figures)}
    found: dict[str, list[str]] = {}
    for path in (record.with_suffix(".png") for record in sorted(figures.glob("*/*.json"))):
        if not path.is_file():
            continue
        record = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        width, height = shown_size(path.read_bytes(), PNG_PER_INCH)
        verdict = next((verdicts[id] for id in record["claim_ids"] if id in verdicts), "")
        said = (
            f"<b>{escape(record['claim'])}</b> {MARKS.get(verdict, '')} {verdict or 'no claim'}; {record['evidence']}"
        )
        address = escape(Path(os.path.relpath(path, place)).as_posix())
        found.setdefault(record["code"]["notebook"], []).append(
            f'<figure><img src="{address}" width="{width}" height="{height}" alt="{escape(record["alt"])}">'
            f"<figcaption>{said}<br><code>{record['artifact']}</code></figcaption></figure>"
        )
    parts = [f"<h2>{name} ({len(cards)})</h2>\n" + "\n".join(cards) for name, cards in sorted(found.items())]
    number = sum(map(len, found.values()))
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>All figures</title><style>{STYLE}</style>'
    return f"{head}\n<h1>{number} figures of {len(found)} notebooks</h1>\n" + "\n".join(parts) + "\n"


def main() -> int:
    place = paths.BUILD / "sheet.html"
    write_atomic(place, sheet(Path(paths.FIGURES), place.parent))
    print(f"Open {place.relative_to(paths.ROOT)} in a browser.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
