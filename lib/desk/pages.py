"""What a browser reads: the list of questions, a question with all that was said of it, people, history, feeds."""

import os
import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

import yaml
from django import forms
from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, IntegerField, Prefetch, Q, QuerySet, Value, When, prefetch_related_objects
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render

from desk import api, people, resolution, search
from desk.form_pages import area, form_class
from desk.models import Account, Act, Answer, Comment, Correct, Kind, Outcome, Question, Review, Verdict, Vote, Written
from desk.trail import address, may_see

PER_PAGE = 25
ANSWERS_PER_PAGE = 20
NEEDS_REVIEWERS = ("answered", "claimed", "disputed")
TABLES: dict[str, type[Written]] = {"answer": Answer, "review": Review, "comment": Comment}
SORTS = {  # what the form says, then the columns
    "votes": ("most votes", "-votes", "-score"),
    "state": ("resolution", "place", "-votes"),
    "newest": ("newest at the source", "-posted_at"),
    "oldest": ("oldest at the source", "posted_at"),
    "score": ("votes at the source", "-score"),
    "views": ("views at the source", "-views"),
    "category": ("category", "category", "-votes"),
    "site": ("site", "site", "-votes"),
}
COMMENT = dict(text=area(4, label="Your comment", help_text="Markdown and formulas work."))
_STATE_ORDER = ("resolved", "disputed", "claimed", "answered", "open")
_ANSWER_ORDER = ("verified", "disputed", "claimed", "unreviewed", "doubted", "refuted")
_LICENCES = {f"CC BY-SA {v}": f"https://creativecommons.org/licenses/by-sa/{v}/" for v in ("2.5", "3.0", "4.0")}


# The list


def questions(request: HttpRequest) -> HttpResponse:
    """The list: search, filters, sort, pages; for a newcomer what the place is for and how to help."""
    pairs = Question.objects.order_by().values_list("site", "category").distinct()
    sites, categories = (sorted(set(filter(None, names))) for names in zip(*pairs)) if pairs else ([], [])
    form = list_form(request.GET, sites, categories)
    form.is_valid()
    chosen = {name: form.cleaned_data.get(name, "") for name in form.fields}
    page = Paginator(chosen_questions(chosen), PER_PAGE).get_page(request.GET.get("page"))
    rows = with_counts(Question.objects.defer("body", "comments")).in_bulk(list(page.object_list))
    page.object_list = [rows[number] for number in page.object_list]
    plain = not any(chosen.values()) and page.number == 1
    told = dict(
        form=form,
        page=page,
        chosen=chosen,
        filtered=any(chosen[name] for name in ("q", "state", "category", "site")),
        totals=totals() if plain else None,
        states=resolution.STATES,
    )
    return render(request, "desk/questions.html", told)


def list_form(given: QueryDict, sites: list[str], categories: list[str]) -> forms.Form:
    """What the list shows, in its address."""

    def one_of(kind: str, names: Iterable[str], **more: str) -> forms.ChoiceField:
        choices = [("", f"any {kind}"), *more.items(), *((name, name) for name in names)]
        return forms.ChoiceField(choices=choices, required=False, label=kind.capitalize())

    best = [("", "best match")] if given.get("q", "").strip() else []
    sorts = [*best, *((name, words) for name, (words, *_) in SORTS.items())]
    fields = dict(
        q=forms.CharField(required=False, max_length=300, label="Search"),
        state=one_of("state", resolution.STATES, review="needs reviewers"),
        category=one_of("category", categories),
        site=one_of("site", sites),
        sort=forms.ChoiceField(choices=sorts, required=False, label="Sort by"),
    )
    return form_class(fields)(given)


def chosen_questions(chosen: dict[str, str]) -> QuerySet | list[int]:
    """The numbers of the questions that the list's form chooses, in its order: quicker to sort than the rows."""
    found, best = search.questions(chosen["q"]) if chosen["q"].strip() else (Question.objects.all(), None)
    if chosen["state"] == "review":
        found = found.filter(state__in=NEEDS_REVIEWERS)
    elif chosen["state"]:
        found = found.filter(state=chosen["state"])
    for name in ("category", "site"):
        if chosen[name]:
            found = found.filter(**{name: chosen[name]})
    if best is not None and chosen["sort"] not in SORTS:
        return sorted(found.values_list("pk", flat=True), key=best.__getitem__)
    if chosen["sort"] == "state":
        places = [When(state=state, then=Value(place)) for place, state in enumerate(_STATE_ORDER)]
        found = found.annotate(place=Case(*places, default=Value(len(places)), output_field=IntegerField()))
    _, *order = SORTS.get(chosen["sort"], SORTS["votes"])
    return found.order_by(*order, "pk").values_list("pk", flat=True)


def with_counts(found: QuerySet[Question]) -> QuerySet[Question]:
    """The questions with how many answers each has, how many passed a validator, how many reviews by people."""
    stands = Q(answers__withdrawn_at=None)
    passed = stands & Q(answers__verdicts__outcome=Outcome.ACCEPT)
    said = stands & Q(answers__reviews__kind=Kind.HUMAN, answers__reviews__withdrawn_at=None)
    return found.annotate(
        n_answers=Count("answers", distinct=True, filter=stands),
        n_passed=Count("answers", distinct=True, filter=passed),
        n_reviews=Count("answers__reviews", distinct=True, filter=said),
    )


def totals() -> dict[str, int]:
    """The desk in four numbers."""
    states = Counter(dict(Question.objects.order_by().values_list("state").annotate(n=Count("pk"))))
    return dict(
        questions=states.total(),
        answers=Answer.objects.filter(withdrawn_at=None).count(),
        waiting=sum(states[state] for state in NEEDS_REVIEWERS),
        resolved=states["resolved"],
    )


# A question


def _votes(reviews: list[Review]) -> dict[str, int]:
    """The reviews that stand: how many say yes, no, unsure."""
    said = Counter(review.correct for review in reviews if not review.withdrawn_at)
    return {word: said[word] for word in Correct.values}


def shown_answers(answers: list[Answer], reader: Account) -> list[dict[str, Any]]:
    """The answers with all that was said of them, as a page shows it, in three queries for all of them.

    ai, human: the reviews by whom; own: the reader's standing one; accepted: by how many of the verdicts.
    """
    remarks = Comment.objects.select_related("author").order_by("written_at", "pk")
    said = Review.objects.select_related("reviewer", "system").order_by("written_at", "pk")
    prefetch_related_objects(
        answers,
        Prefetch("verdicts", Verdict.objects.order_by("decided_at", "pk")),
        Prefetch("reviews", said.prefetch_related(Prefetch("remarks", remarks, to_attr="discussion"))),
    )
    rows = []
    for answer in answers:
        reviews, verdicts = list(answer.reviews.all()), list(answer.verdicts.all())
        for review in reviews:
            review.counts = resolution.counts(review)
            review.by_poster = people.is_poster(review.reviewer, answer.question)
        state, of = resolution.state_of(reviews), {kind: [one for one in reviews if one.kind == kind] for kind in Kind}
        told = dict(answer=answer, state=state, means=resolution.ANSWER_STATES[state], verdicts=verdicts)
        told |= dict(ai=of[Kind.AI], human=of[Kind.HUMAN], votes=_votes(of[Kind.HUMAN]), ai_votes=_votes(of[Kind.AI]))
        own = [one for one in told["human"] if one.reviewer_id == reader.pk and not one.withdrawn_at]
        accepted = sum(verdict.outcome == Outcome.ACCEPT for verdict in verdicts)
        rows.append(told | dict(own=own[0] if own else None, accepted=accepted))
    return rows


def question(request: HttpRequest, site: str, number: str) -> HttpResponse:
    """A question with its answers: verified and disputed ones first, then those that most validators accept."""
    row = api.by_key(site, number)
    answers = list(row.answers.select_related("system", "submitted_by", "question").order_by("written_at", "pk"))
    shown = shown_answers(answers, request.user)
    shown.sort(key=lambda s: (bool(s["answer"].withdrawn_at), _ANSWER_ORDER.index(s["state"]), -s["accepted"]))
    standing = [one for one in shown if not one["answer"].withdrawn_at]
    mine = Vote.objects.filter(question=row, voter=request.user.pk).first() if request.user.is_authenticated else None
    told = dict(
        question=row,
        licence=_LICENCES.get(row.licence, ""),
        means=resolution.STATES[row.state],
        states=resolution.STATES,
        rule=resolution.RULE,
        standing=standing,
        page=Paginator(shown, ANSWERS_PER_PAGE).get_page(request.GET.get("page")),
        waiting=[one for one in standing if one["accepted"] and not any(one["votes"].values())],
        remarks=row.remarks.filter(review=None).select_related("author").order_by("written_at", "pk"),
        changed=Act.objects.filter(table="question", key=row.key, verb="change").exists(),
        vote=mine.value if mine else 0,
        comment_form=form_class(COMMENT)(),
    )
    return render(request, "desk/question.html", told)


def question_markdown(request: HttpRequest, site: str, number: str) -> HttpResponse:
    """The question as Markdown; what is known of it stands above as YAML, which a program reads."""
    row = api.by_key(site, number)
    answers = row.answers.filter(withdrawn_at=None).select_related("system").order_by("written_at", "pk")
    told = api.question(row)
    for name in ("body", "comments", "url"):
        del told[name]
    told |= dict(
        licence_link=_LICENCES.get(row.licence, ""),
        changes="" if row.posted_by_id else "HTML turned into Markdown",
        source_edited_at=row.source_edited_at.isoformat() if row.source_edited_at else None,
        page=request.build_absolute_uri(address(row)),
        answers=[
            dict(key=one.key, **api.names(one.system), page=request.build_absolute_uri(address(one))) for one in answers
        ],
    )
    head = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=1000)
    return HttpResponse(f"---\n{head}---\n\n{row.body}\n", content_type="text/markdown; charset=utf-8")


def answer(request: HttpRequest, key: str) -> HttpResponse:
    """An answer's own page, at an address that never changes."""
    row = get_object_or_404(Answer.objects.select_related("system", "submitted_by", "question"), key=key)
    told = dict(shown=shown_answers([row], request.user)[0], question=row.question)
    return render(request, "desk/answer.html", told)


# People


def account(request: HttpRequest, username: str) -> HttpResponse:
    """A person's page: what they reviewed, answered and remarked, and the badges it earned."""
    person = get_object_or_404(Account, username=username)
    reviews = person.reviews.filter(withdrawn_at=None, answer__withdrawn_at=None)
    comments = Comment.objects.filter(withdrawn_at=None).order_by("-written_at")
    comments = comments.select_related("author", "question", "review__answer__system")
    told = dict(
        person=person,
        badges=badges(person),
        reviews=reviews.select_related("answer__question", "answer__system", "system").order_by("-written_at")[:50],
        answers=person.answers.filter(withdrawn_at=None)
        .select_related("question", "system")
        .order_by("-written_at")[:50],
        remarks=comments.filter(author=person)[:50],
        replies=comments.filter(review__reviewer=person).exclude(author=person)[:20] if person == request.user else (),
        asked=people.asked_by(person)[:50],
        tickets=person.tickets.order_by("-pk")[:20] if person == request.user else (),
        acts=Act.objects.filter(table="account", key=person.username).select_related("actor").order_by("-pk")[:20],
    )
    return render(request, "desk/account.html", told)


def badges(person: Account) -> list[tuple[str, str]]:
    """What a reviewer has earned: a name, and what it stands for."""
    earned = people.badge(person)
    found = []
    for least, name in ((50, "Verifier III"), (10, "Verifier II"), (1, "Verifier")):
        if earned["reviews"] >= least:
            found.append((name, f"{earned['reviews']} reviews that count"))
            break
    if earned["settled"] >= 3 and earned["agreed"] >= 0.8 * earned["settled"]:
        found.append(("Steady", f"{earned['agreed']} of {earned['settled']} reviews agree with what was settled later"))
    own = people.asked_by(person).filter(answers__reviews__reviewer=person, answers__reviews__withdrawn_at=None)
    if n := own.distinct().count():
        found.append(("Original poster", f"reviewed answers to {n} of their own questions"))
    return found


# History and feeds


def history(request: HttpRequest, table: str, key: str) -> HttpResponse:
    """What happened to a row: each edit with both texts, each withdrawal with its reason."""
    if table not in (*TABLES, "question"):
        raise Http404
    row = get_object_or_404(TABLES.get(table, Question), key=key)
    hidden = bool(getattr(row, "withdrawn_at", None)) and not may_see(request.user, row)
    acts = list(Act.objects.filter(table=table, key=key).exclude(verb="vote").select_related("actor").order_by("-pk"))
    told = dict(row=row, table=table, edits=[] if hidden else _edits(row, acts), acts=acts, hidden=hidden)
    return render(request, "desk/history.html", told)


def _edits(row: Written | Question, acts: list[Act]) -> list[tuple[Act, list]]:
    """The acts, newest first, each with the fields that it replaced and the pieces of their texts.

    The text after an edit is found from the edits that followed it.
    """
    now: dict[str, Any] = {}
    found = []
    for act in acts:
        changes = []
        for field, old in act.before.items():
            if act.verb in ("edit", "change") and field != "version" and hasattr(row, field):
                changes.append((field, pieces(str(old), str(now.get(field, getattr(row, field))))))
                now[field] = old
        found.append((act, changes))
    return found


MOST_PAIRS = 50_000  # of words: the time of a comparison grows with their third power on a text made for that


def pieces(before: str, after: str) -> list[tuple[str, str]]:
    """The words of two texts: ("same" | "gone" | "new", text).

    >>> pieces("it is odd", "it is even")
    [('same', 'it is '), ('gone', 'odd'), ('new', 'even')]
    """
    old, new = (re.findall(r"\s+|\S+", text) for text in (before, after))
    first = len(os.path.commonprefix([old, new]))
    last = len(os.path.commonprefix([old[first:][::-1], new[first:][::-1]]))
    gone, came = old[first : len(old) - last], new[first : len(new) - last]
    steps = [("replace", 0, len(gone), 0, len(came))]
    if len(gone) * len(came) <= MOST_PAIRS:
        steps = SequenceMatcher(None, gone, came, autojunk=False).get_opcodes()
    found = [("same", old[:first])]
    for tag, i, j, k, m in steps:
        found += [("same", gone[i:j])] if tag == "equal" else [("gone", gone[i:j]), ("new", came[k:m])]
    found.append(("same", old[len(old) - last :]))
    return [(kind, "".join(words)) for kind, words in found if words]


def about(request: HttpRequest) -> HttpResponse:
    told = dict(states=resolution.STATES, answer_states=resolution.ANSWER_STATES, rule=resolution.RULE)
    told |= dict(moderators=Account.objects.filter(role="moderator", is_active=True).order_by("username"))
    return render(request, "desk/about.html", told)


def page_numbers(page: Page) -> list[int | None]:
    """The pages to link: the first, the last, those near this one; None is a gap.

    >>> page_numbers(Paginator(range(200), 10).page(10))
    [1, None, 9, 10, 11, None, 20]
    """
    return [n if isinstance(n, int) else None for n in page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)]  # fmt: skip  # noqa: E501
