"""The review desk: UQ's platform (section 2.3, appendix C), and the other papers' reviews on the same desk.

One Django app on SQLite, or PostgreSQL by URL. `python -m proctor platform` opens it.

    models   what is stored: questions, answers, verdicts, reviews, comments, votes, and who did what
    acts     the only code that writes: each act is one transaction with a line in the audit trail (`people`: accounts)
    tables   the store as pandas tables, with the columns of `proctor.uq.community`
    pages    what a browser sees; api: what a program sends and reads
    files    everything out to JSONL or Parquet, and in again

Nothing is deleted: a row is withdrawn, an edit keeps what stood before.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # slow, and not needed: workflow/execute.py
