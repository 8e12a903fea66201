"""Write made-up dumps in the exact format of `Posts.xml`: for tests, benchmarks and the default run of a notebook.

Texts are common words in random order. Votes and views are drawn so that rules have something to do (few questions
have many), not fitted to any real site: what is found on them is simulated evidence.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from proctor.files import write_atomic
from proctor.generated.worked import DISTINCT, DOUBLED
from proctor.uq.dataset.posts import licence

WORDS = DISTINCT + DOUBLED
FIRST, DAYS = datetime(2010, 1, 1), 5400  # posts are spread over almost fifteen years
OFF_TOPIC = ("homework", "advice", "policy", "recommendation")
LOOK_ALIKE = ("functional-analysis", "metabolism", "software-usage", "fundamental-groups")  # hold a keyword, are none
BLOCK = 5000  # questions drawn at once
SENTENCES = 3000
QUOTED = {'"': "&quot;", "\n": "&#xA;"}  # in an attribute
COPIED = 1000  # questions of the first site that another site may repeat


class Profile(NamedTuple):
    """A made-up site. votes, views: medians; answered, why, image, off_topic, look_alike: shares of its questions."""

    name: str
    votes: float = 1.5
    views: float = 400
    answered: float = 0.7
    why: float = 0.05
    image: float = 0.12
    off_topic: float = 0.04
    look_alike: float = 0.08


SITES = (
    Profile("proofs", votes=2.5, views=300, answered=0.72, image=0.04),
    Profile("circuits", votes=1.2, views=900, answered=0.8, image=0.3),
    Profile("stories", votes=4.0, views=700, answered=0.85, why=0.12),
    Profile("harvest", votes=1.8, views=250, answered=0.55, look_alike=0.15),
)


def make_questions(count: int, seed: int, site: Profile = SITES[0]) -> Iterator[dict[str, str]]:
    """Attributes of `count` question rows, ids 1, 2, ... in order of creation; the same for the same seed."""
    rng = np.random.default_rng([seed, *site.name.encode()])
    sentences = [_sentence(rng) for _ in range(SENTENCES)]
    own_tags = np.array([f"{a}-{b}" for a, b in zip(rng.permutation(WORDS), rng.permutation(WORDS))])
    days = np.sort(rng.random(count)) * DAYS
    for start in range(0, count, BLOCK):
        n = min(BLOCK, count - start)
        attention = rng.normal(0, 1, n)  # what draws votes draws views
        score = np.floor(site.votes * np.exp(1.2 * attention + 0.5 * rng.normal(0, 1, n))).astype(int) - 1
        views = np.floor(site.views * np.exp(0.8 * attention + 0.7 * rng.normal(0, 1, n))).astype(int) + 1
        answers = np.where(rng.random(n) < site.answered, 1 + rng.poisson(0.7, n), 0)
        accepted, closed = rng.random(n) < 0.5, rng.random(n) < 0.03
        why, image, off_topic, look_alike = (
            rng.random(n) < share for share in (site.why, site.image, site.off_topic, site.look_alike)
        )
        which, lengths = rng.integers(0, SENTENCES, (n, 13)), rng.integers(4, 13, n)
        tags = rng.choice(own_tags, (n, 3))
        for i in range(n):
            number, title, *body = start + i + 1, *(sentences[k] for k in which[i, : lengths[i] + 1])
            created = FIRST + timedelta(days=float(days[start + i]))
            labels = list(dict.fromkeys(tags[i, : 1 + lengths[i] % 3].tolist()))
            labels += [LOOK_ALIKE[number % 4]] * bool(look_alike[i]) + [OFF_TOPIC[number % 4]] * bool(off_topic[i])
            row = dict(
                Id=str(number),
                PostTypeId="1",
                CreationDate=_time(created),
                Score=str(score[i]),
                ViewCount=str(views[i]),
                Body="".join(f"<p>{line}</p>\n\n" for line in body)
                + '<p><img src="picture.png" alt="a picture"></p>\n' * bool(image[i]),
                OwnerUserId=str(1 + number % 997),
                LastActivityDate=_time(created + timedelta(days=1)),
                Title=("Why " + title[0].lower() if why[i] else title[0]) + title[1:-1] + "?",
                Tags="".join(f"<{tag}>" for tag in labels),
                AnswerCount=str(answers[i]),
                CommentCount=str(number % 5),
                ContentLicense=licence(created),
            )
            if answers[i] and accepted[i]:
                row["AcceptedAnswerId"] = ""  # filled in when the answers get their ids
            if closed[i]:
                row["ClosedDate"] = _time(created + timedelta(days=2))
            yield row


def make_posts(questions: Iterable[dict[str, str]], seed: int = 0) -> Iterator[dict[str, str]]:
    """The questions with their answers after them, ids anew so that all posts count up."""
    rng, number = np.random.default_rng([seed, 1]), 0
    sentences = [_sentence(rng) for _ in range(SENTENCES)]
    for row in questions:
        number += 1
        question, count = str(number), int(row["AnswerCount"])
        row = row | {"Id": question} | ({"AcceptedAnswerId": str(number + 1)} if "AcceptedAnswerId" in row else {})
        yield row
        for lines in rng.integers(0, SENTENCES, (count, 4)):
            number += 1
            yield dict(
                Id=str(number),
                PostTypeId="2",
                ParentId=question,
                CreationDate=row["LastActivityDate"],
                Score=str(lines[0] % 9 - 1),
                Body="".join(f"<p>{sentences[k]}</p>\n" for k in lines),
                OwnerUserId=str(1 + int(lines[1]) % 997),
                LastActivityDate=row["LastActivityDate"],
                CommentCount="0",
                ContentLicense=row["ContentLicense"],
            )


def write_dump(path: str | Path, posts: Iterable[dict[str, str]], tags: str = "old", bom: bool = True) -> Path:
    """Write rows as a `Posts.xml`. tags: "old" for <a><b>, "new" for |a|b|. bom: begin with a byte-order mark."""
    lines = [("\ufeff" if bom else "") + '<?xml version="1.0" encoding="utf-8"?>', "<posts>"]
    for row in posts:
        if tags == "new" and "Tags" in row:
            row = row | {"Tags": "|" + row["Tags"][1:-1].replace("><", "|") + "|"}
        lines.append("  <row " + " ".join(f'{name}="{escape(value, QUOTED)}"' for name, value in row.items()) + " />")
    return write_atomic(path, "\n".join([*lines, "</posts>"]))


def write_dumps(
    folder: str | Path, questions: int, seed: int, sites: tuple[Profile, ...] = SITES, copies: float = 0.0
) -> dict[str, tuple[int, str, int]]:
    """A dump of each site, <folder>/<site>/Posts.xml, with `questions` questions each and their answers.

    copies: share of the questions of every site but the first that repeat one of the first, a fifth of their
    sentences replaced. Returns those: (site, id) -> (the first site's name, id there).
    """
    first, planted = [], {}
    for place, site in enumerate(sites):
        rng = np.random.default_rng([seed, 2, place])
        rows = []
        for post in make_posts(_with_copies(make_questions(questions, seed, site), first, copies, rng), seed):
            origin = post.pop("CopyOf", None)
            if origin:
                planted[site.name, int(post["Id"])] = (sites[0].name, int(origin))
            rows.append(post)
        if place == 0:
            first = [row for row in rows if row["PostTypeId"] == "1"][:COPIED]
        write_dump(Path(folder) / site.name / "Posts.xml", rows, tags=("old", "new")[place % 2], bom=place % 2 == 0)
    return planted


def _with_copies(rows: Iterable[dict], first: list[dict], share: float, rng: np.random.Generator) -> Iterator[dict]:
    for row in rows:
        if first and rng.random() < share:
            origin = first[rng.integers(len(first))]
            lines = origin["Body"].split("\n\n")
            for k in rng.permutation(len(lines))[: len(lines) // 5]:
                lines[k] = f"<p>{_sentence(rng)}</p>"
            row = row | {"Title": origin["Title"], "Body": "\n\n".join(lines), "CopyOf": origin["Id"]}
        yield row


def _sentence(rng: np.random.Generator) -> str:
    words = rng.integers(0, len(WORDS), rng.integers(8, 16)).tolist()  # `choice` takes three times as long
    return " ".join(WORDS[k] for k in words).capitalize() + "."


def _time(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")
