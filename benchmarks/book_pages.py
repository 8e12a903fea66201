"""Every page of the book in a real browser, in four views (1280 and 390 pixels, light and dark), with axe.

    make site && .venv/bin/python benchmarks/book_pages.py            # some 190 pages
    .venv/bin/python benchmarks/book_pages.py --pages 'protocols/*'

Prints each fault and, at the end, how many pages were seen, how many faults, in how many seconds; exits 1 on a fault.
`make test` does the same with a book of four notebooks.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from proctor.report.site_check import main  # noqa: E402

sys.exit(main())
