"""Whose a question is: its link, its author and its licence, which follows from the day of the post (UQ, K.1)."""

from datetime import date, datetime

import pandas as pd

LICENCES = ((date(2018, 5, 2), "CC BY-SA 4.0"), (date(2011, 4, 8), "CC BY-SA 3.0"), (date.min, "CC BY-SA 2.5"))
DEED = "https://creativecommons.org/licenses/by-sa/{}/"
CHANGES = "HTML turned into Markdown"
COLUMNS = ("site", "question_id", "link", "author", "author_link", "posted", "licence", "changes")
_OWN_DOMAIN = ("stackoverflow", "superuser", "serverfault", "askubuntu", "stackapps")  # .com, not .stackexchange.com


def licence(posted: date | datetime) -> str:
    """The licence of a post of that day (UTC).

    >>> licence(date(2011, 4, 7)), licence(date(2011, 4, 8)), licence(date(2018, 5, 2))
    ('CC BY-SA 2.5', 'CC BY-SA 3.0', 'CC BY-SA 4.0')
    """
    day = posted.date() if isinstance(posted, datetime) else posted
    return next(name for since, name in LICENCES if day >= since)


def home(site: str) -> str:
    """The address of a site that the API names so.

    >>> home("math"), home("mathoverflow.net"), home("es.stackoverflow")
    ('https://math.stackexchange.com', 'https://mathoverflow.net', 'https://es.stackoverflow.com')
    """
    if site.endswith(".net"):
        return f"https://{site}"
    return f"https://{site}.com" if site.split(".")[-1] in _OWN_DOMAIN else f"https://{site}.stackexchange.com"


def link(site: str, question_id: int) -> str:
    """The address of a question."""
    return f"{home(site)}/questions/{question_id}"


def attributions(questions: pd.DataFrame) -> pd.DataFrame:
    """A row a question of a pool: what its reuse must name. licence: as the source states it, else by the day."""
    rows = []
    for row in questions.itertuples():
        known = not pd.isna(row.owner_id)
        author = row.owner_name if isinstance(row.owner_name, str) and row.owner_name else None
        rows.append(
            dict(
                site=row.site,
                question_id=row.question_id,
                link=link(row.site, row.question_id),
                author=author or (f"user {int(row.owner_id)}" if known else "unknown"),
                author_link=f"{home(row.site)}/users/{int(row.owner_id)}" if known else "",
                posted=row.created.date().isoformat(),
                licence=row.licence if isinstance(row.licence, str) and row.licence else licence(row.created),
                changes=CHANGES,
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))
