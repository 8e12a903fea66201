"""What a browser sends: answers, reviews, comments, votes, edits and withdrawals; and what moderators decide.

Each page shows a form and hands what it holds to one act; `acts` decides.
"""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from desk import acts, people
from desk.api import by_key
from desk.form_pages import Fields, FormPage, Moderators, area, radio, reason, signed_in
from desk.models import Account, Act, Answer, Comment, Correct, Review, Ticket, Written
from desk.pages import COMMENT, TABLES, pieces
from desk.trail import OWNER, address, author_of, may_see

CONFIDENCE = {
    1: "1: a guess",
    2: "2: I lean to it",
    3: "3: fairly sure",
    4: "4: sure, I checked the main steps",
    5: "5: certain, I checked all of it",
}
REVIEW = dict(
    correct=radio(Correct.choices, label="Is the answer correct?"),
    confidence=radio([*CONFIDENCE.items()], forms.TypedChoiceField, coerce=int, label="How sure are you?"),
    text=area(
        10,
        label="Why",
        help_text="Name the step that holds or fails, and the sources you looked up. Markdown and formulas work.",
    ),
    conflict=forms.BooleanField(
        required=False,
        label="I have a conflict of interest",
        help_text="You made the system, work with those who did, or wrote the answer. Such a review is shown, but does "
        "not count.",
    ),
    conflict_text=forms.CharField(required=False, max_length=500, label="Which one"),
)


def answer_fields(people: bool) -> Fields:
    """Those of an answer; people's has no model, and no prompt."""
    return dict(
        organisation=forms.CharField(max_length=200, help_text="Who runs the system: a lab, a university, yourself."),
        system=forms.CharField(max_length=200, help_text="Its name and version, so that others can run the same."),
        base_model=forms.CharField(
            required=not people,
            max_length=200,
            help_text="The model underneath, with its date or version. Empty where people wrote it.",
        ),
        people=forms.BooleanField(
            required=False,
            label="Written by people, without a model",
            help_text="Listed next to the models, as people.",
        ),
        prompt=area(
            8,
            required=not people,
            help_text="All that the model was given, word for word. Empty where people wrote it.",
        ),
        text=area(16, label="Answer", help_text="Markdown, with formulas between dollar signs. No HTML."),
    )


class CommentOn(FormPage):
    """A comment on a question."""

    fields, done = COMMENT, ""
    heading, send = "Comment on the question", "Save the comment"

    def load(self, site: str, number: str) -> None:
        self.on = by_key(site, number)
        self.shown = dict(question=self.on)

    def act(self, text: str) -> Comment:
        return acts.comment(self.request.user, self.on, text)


class Discuss(CommentOn):
    """A comment on a review."""

    heading, note = "Comment on a review", "desk/discuss_note.html"

    def load(self, key: str) -> None:
        standing = Review.objects.select_related("answer__question", "reviewer").filter(withdrawn_at=None)
        self.on = get_object_or_404(standing, key=key)
        self.shown = dict(question=self.on.answer.question, review=self.on, back=address(self.on))


class Submit(CommentOn):
    """An answer to a question."""

    heading, send, note = "Submit an answer", "Submit the answer", "desk/submit_note.html"
    done = "Your answer stands. Validators and reviewers see it now."

    def load(self, site: str, number: str) -> None:
        super().load(site, number)
        self.fields = answer_fields(bool(self.request.POST.get("people")))

    def act(self, **fields) -> Answer:
        return acts.submit_answer(self.request.user, self.on, **fields)


class WriteReview(FormPage):
    fields, note = REVIEW, "desk/review_note.html"
    heading, send = "Review this answer", "Save the review"
    done = "Thank you. Your review stands next to the answer."

    def load(self, key: str) -> None:
        if not self.request.user.may_review():
            raise acts.NotAllowed("Only reviewers may review. Ask to become one on the page /ask/reviewer/.")
        self._read(get_object_or_404(Answer.objects.select_related("question", "system", "submitted_by"), key=key))

    def _read(self, answer: Answer) -> None:
        self.answer = answer
        self.shown = dict(question=answer.question, answer=answer, version=answer.version)

    def dispatch(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if own := self.answer.review_of(request.user):
            messages.info(request, "You reviewed this answer. Here you can edit your review.")
            return redirect("edit", "review", own.key)
        return super().dispatch(request, *args, **kwargs)

    def stale(self, form: forms.Form, stands: Answer) -> HttpResponse:
        messages.warning(self.request, "The answer was edited while you wrote. Read it again, then save your review.")
        self._read(stands)
        return self.form_invalid(form)

    def act(self, **fields) -> Review:
        return acts.review(self.request.user, self.answer, **fields, version=_number(self.request.POST.get("version")))


@signed_in
def vote(request: HttpRequest, site: str, number: str) -> HttpResponse:
    question = by_key(site, number)
    if request.method == "POST":
        value = _number(request.POST.get("value"))
        if value not in (-1, 0, 1):
            raise Http404
        acts.vote(request.user, question, value)
    return redirect(address(question))


def _number(text: str | None) -> int | None:
    try:
        return int(text or "")
    except ValueError:
        return None


# Edits and withdrawals


def _row(table: str, key: str) -> Written:
    if table not in TABLES:
        raise Http404
    return get_object_or_404(TABLES[table], key=key)


def _edited(row: Written) -> Fields:
    """The fields of a row that its author may edit."""
    known = REVIEW if isinstance(row, Review) else COMMENT
    fields = answer_fields(row.system.people) if isinstance(row, Answer) else known
    return {name: fields[name] for name in acts.EDITABLE[type(row)]}


class Edit(FormPage):
    """Edit one's own row; where someone saved in between, both texts are shown and nothing is lost."""

    send, done = "Save", "Saved. What stood before is kept in the history."

    def load(self, table: str, key: str) -> None:
        self.row, self.heading = _row(table, key), f"Edit your {table}"
        if author_of(self.row) != self.request.user:
            raise acts.NotAllowed("Only its author may edit this. A moderator can withdraw it.")
        self.fields = _edited(self.row)
        self.initial = {name: getattr(self.row, name) for name in self.fields}
        self.shown = dict(version=self.row.version, back=address(self.row))

    def act(self, **fields):
        return acts.edit(self.request.user, self.row, _number(self.request.POST.get("version")) or 0, **fields)

    def stale(self, form: forms.Form, stands) -> HttpResponse:
        """Both texts, field by field, and the form with one's own, which now replaces what stands."""
        differences = [
            (form[name].label, pieces(str(getattr(stands, name)), str(mine)))
            for name, mine in form.cleaned_data.items()
            if getattr(stands, name) != mine
        ]
        told = dict(form=form, stands=stands, differences=differences, version=stands.version, send="Save mine over it")
        return render(self.request, "desk/stale.html", told, status=409)


class TakeBack(FormPage):
    """Withdraw a row, or restore it; a moderator with a reason."""

    note = "desk/withdraw_note.html"
    verb = ""  # of the two acts
    SAID = {"withdraw": "It is shown no more. Its history stays.", "restore": "It is shown again."}

    def load(self, table: str, key: str) -> None:
        self.row = _row(table, key)
        if not may_see(self.request.user, self.row):
            raise acts.NotAllowed("Only its author or a moderator may do that.")
        self.send, self.done = self.verb.capitalize(), self.SAID[self.verb]
        self.shown = dict(heading=f"{self.send} this {table}", row=self.row, back=address(self.row))
        self.fields = dict(reason=reason(required=author_of(self.row) != self.request.user))

    def act(self, reason: str):
        return getattr(acts, self.verb)(self.request.user, self.row, reason)


# Moderation


HIDDEN = Q(verb="cast")  # who decided on which case of a round, and when: blind until it is closed, then on its page


@signed_in
def moderation(request: HttpRequest) -> HttpResponse:
    """For moderators: the audit trail, what is withdrawn, and the accounts."""
    if not request.user.may_moderate():
        raise acts.NotAllowed("Only moderators may see this page.")
    trail = Act.objects.select_related("actor").exclude(HIDDEN).order_by("-pk")
    chosen = {name: request.GET.get(name, "").strip()[:150] for name in ("verb", "actor", "person")}
    if chosen["verb"]:
        trail = trail.filter(verb=chosen["verb"])
    if chosen["actor"]:
        trail = trail.filter(actor__username__iexact=chosen["actor"])
    found = Account.objects.order_by("username")
    if chosen["person"]:
        found = found.filter(username__icontains=chosen["person"])
    told = dict(
        waiting=Ticket.objects.filter(decided_at=None).count(),
        page=Paginator(trail, 50).get_page(request.GET.get("page")),
        verbs=Act.objects.exclude(HIDDEN).order_by("verb").values_list("verb", flat=True).distinct(),
        chosen=chosen,
        accounts=found[:30],
        withdrawn=[
            row
            for model, whose in OWNER.items()
            for row in model.objects.exclude(withdrawn_at=None).select_related(whose).order_by("-withdrawn_at")[:20]
        ],
    )
    return render(request, "desk/moderation.html", told)


class Moderate(Moderators, FormPage):
    """Decide on an account, with a reason: its role, blocking, its profile at the source."""

    fields = dict(
        deed=forms.ChoiceField(choices=[(deed, says) for deed, (says, *_) in people.DEEDS.items()], label="Decision"),
        reason=reason(),
    )
    send = "Decide"

    def load(self, username: str) -> None:
        self.person = get_object_or_404(Account, username=username)
        self.shown = dict(heading=f"Decide on {username}", person=self.person, back=address(self.person))

    def act(self, deed: str, reason: str) -> Account:
        self.done = f"Done: {people.DEEDS[deed][0]}."
        return people.decide(self.request.user, self.person, deed, reason)
