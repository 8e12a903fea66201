"""What a browser sends. Each page shows a form and hands what it holds to one act; `acts` decides.

A form that was sent after the session had ended is not lost: the reader signs in, sees the text again and sends it.
"""

import json
from collections.abc import Callable
from functools import wraps

from django.contrib import auth, messages
from django.contrib.auth.forms import AuthenticationForm
from django.core.paginator import Paginator
from django.db.models import Q
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from django.views.generic import FormView

from desk import acts, rate_limits
from desk.forms import (
    EDITS,
    AnswerForm,
    CommentForm,
    ModerationForm,
    ReasonForm,
    ReviewForm,
    SignUpForm,
)
from desk.models import Account, Act, Answer, Comment, Review, Role, Ticket
from desk.pages import TABLES, address, author_of, by_key, may_see, pieces
from desk.security import is_secret

LONGEST_DRAFT = 400_000  # characters


# Signing in and out


def signed_in(view: Callable) -> Callable:
    """The view, for those who are signed in; others are asked to, and what they sent is kept on that page."""

    @wraps(view)
    def page(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if request.user.is_authenticated:
            if request.method == "POST":
                rate_limits.spend("write", f"account {request.user.pk}")
            return view(request, *args, **kwargs)
        sent = {name: value for name, value in request.POST.items() if not is_secret(name)}
        return _sign_in_page(request, AuthenticationForm(request), request.get_full_path(), sent)

    return page


def _sign_in_page(request, form, onwards: str, sent: dict[str, str], status: int = 200) -> HttpResponse:
    draft = json.dumps(sent) if sent else ""
    told = dict(form=form, next=onwards, sent=sent, draft=draft if len(draft) <= LONGEST_DRAFT else "")
    return render(request, "desk/sign_in.html", told, status=status)


@never_cache
@sensitive_post_parameters("password")
def sign_in(request: HttpRequest) -> HttpResponse:
    onwards = _own_address(request, request.POST.get("next") or request.GET.get("next") or "")
    sent = _draft(request)
    if request.method == "POST":
        rate_limits.spend("sign_in", rate_limits.address(request))
        rate_limits.spend("sign_in_to_one_name", f"name {request.POST.get('username', '')[:150]}")
    form = AuthenticationForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        auth.login(request, form.get_user())
        if sent:
            return render(request, "desk/resume.html", dict(sent=sent, action=onwards))
        return redirect(onwards)
    return _sign_in_page(request, form, onwards, sent)


def _own_address(request: HttpRequest, onwards: str) -> str:
    """Where to go after signing in: an address of this site, or the list."""
    safe = url_has_allowed_host_and_scheme(onwards, {request.get_host()}, require_https=request.is_secure())
    return onwards if safe and onwards.startswith("/") else "/"


def _draft(request: HttpRequest) -> dict[str, str]:
    try:
        sent = json.loads(request.POST.get("draft") or "{}")
    except ValueError:
        return {}
    return {str(name): str(value) for name, value in sent.items()} if isinstance(sent, dict) else {}


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    auth.logout(request)
    return redirect("questions")


@never_cache
@sensitive_post_parameters("password", "password_again")
def sign_up(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        rate_limits.spend("sign_up", rate_limits.address(request))
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        told = form.cleaned_data
        fields = {name: told[name] for name in ("affiliation", "source_profile", "email")}
        made = try_act(form, acts.sign_up, told["username"], told["password"], **fields)
        if made:
            auth.login(request, made, backend="django.contrib.auth.backends.ModelBackend")
            messages.success(request, f"Welcome, {made.username}.")
            return redirect(_own_address(request, request.GET.get("next", "")))
    return form_page(request, form, "Make an account", "Make the account", note="desk/sign_up_note.html")


# What all forms share


def try_act(form: Form, act: Callable, *args, **kwargs):
    """What the act gives; None with the form's fields marked where it refuses."""
    try:
        return act(*args, **kwargs)
    except acts.Refused as refused:
        for field, sentence in refused.problems.items():
            form.add_error(field if field in form.fields else None, sentence)
        return None


def form_page(request: HttpRequest, form: Form, heading: str, send: str, **more) -> HttpResponse:
    """A form on a page of its own. Fields that need a mend are said above it, each linked."""
    wrong = form.is_bound and not form.is_valid()
    told = dict(form=form, heading=heading, send=send, **more)
    return render(request, "desk/form.html", told, status=422 if wrong else 200)


class FormPage(FormView):
    """The same as a class: `act` gets what the form holds; what it refuses is marked in the form."""

    template_name = "desk/form.html"
    done = "Saved."

    def attempt(self, form: Form):
        return try_act(form, self.act, **form.cleaned_data)

    def form_valid(self, form: Form) -> HttpResponse:
        if self.attempt(form) is None:
            return self.form_invalid(form)
        messages.success(self.request, self.done)
        return super().form_valid(form)

    def form_invalid(self, form: Form) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)


# Answers, reviews, comments, votes


@signed_in
def submit(request: HttpRequest, site: str, number: str) -> HttpResponse:
    question = by_key(site, number)
    form = AnswerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = try_act(form, acts.submit_answer, request.user, question, **form.cleaned_data)
        if made:
            messages.success(request, "Your answer stands. Validators and reviewers see it now.")
            return redirect(address(made))
    return form_page(
        request, form, "Submit an answer", "Submit the answer", question=question, note="desk/submit_note.html"
    )


@signed_in
def review(request: HttpRequest, key: str) -> HttpResponse:
    answer = get_object_or_404(Answer.objects.select_related("question", "system", "submitted_by"), key=key)
    if not request.user.may_review():
        raise acts.NotAllowed("Only reviewers may review. Ask to become one on the page /ask/reviewer/.")
    standing = answer.reviews.filter(reviewer=request.user, kind="human", withdrawn_at=None).first()
    if standing:
        messages.info(request, "You reviewed this answer. Here you can edit your review.")
        return redirect("edit", "review", standing.key)
    form = ReviewForm(request.POST or None)
    told = dict(question=answer.question, answer=answer, note="desk/review_note.html")
    if request.method == "POST" and form.is_valid():
        version = _number(request.POST.get("version"))
        try:
            made = try_act(form, acts.review, request.user, answer, **form.cleaned_data, version=version)
        except acts.Stale as stale:
            answer = stale.row
            messages.warning(request, "The answer was edited while you wrote. Read it again, then save your review.")
            told = told | dict(answer=answer)
            made = None
        if made:
            messages.success(request, "Thank you. Your review stands next to the answer.")
            return redirect(address(made))
    return form_page(request, form, "Review this answer", "Save the review", version=answer.version, **told)


@signed_in
def comment(request: HttpRequest, site: str, number: str) -> HttpResponse:
    question = by_key(site, number)
    return _comment_page(request, question, "Comment on the question", question=question)


@signed_in
def discuss(request: HttpRequest, key: str) -> HttpResponse:
    """A comment on a review."""
    review = get_object_or_404(Review.objects.select_related("answer__question", "reviewer"), key=key)
    if review.withdrawn_at:
        raise Http404
    told = dict(question=review.answer.question, review=review, note="desk/discuss_note.html", back=address(review))
    return _comment_page(request, review, "Comment on a review", **told)


def _comment_page(request: HttpRequest, on, heading: str, **told) -> HttpResponse:
    form = CommentForm(request.POST or None)
    if isinstance(on, Review):
        form.fields["text"].help_text = "On what the review says: a step it missed, a source, a question to its author."
    if request.method == "POST" and form.is_valid():
        made = try_act(form, acts.comment, request.user, on, **form.cleaned_data)
        if made:
            return redirect(address(made))
    return form_page(request, form, heading, "Save the comment", **told)


@signed_in
def vote(request: HttpRequest, site: str, number: str) -> HttpResponse:
    question = by_key(site, number)
    if request.method == "POST":
        value = _number(request.POST.get("value"))
        if value not in (-1, 0, 1):
            raise Http404
        acts.vote(request.user, question, value)
    return redirect(address(question))


@signed_in
def working(request: HttpRequest, site: str, number: str) -> HttpResponse:
    question = by_key(site, number)
    if request.method == "POST":
        acts.work_on(request.user, question, request.POST.get("working") == "yes")
    return redirect(address(question))


def _number(text: str | None) -> int | None:
    try:
        return int(text or "")
    except ValueError:
        return None


# Edits and withdrawals


def _row(table: str, key: str):
    if table not in TABLES:
        raise Http404
    return get_object_or_404(TABLES[table], key=key)


@signed_in
def edit(request: HttpRequest, table: str, key: str) -> HttpResponse:
    """Edit one's own row; where someone saved in between, both texts are shown and nothing is lost."""
    row = _row(table, key)
    if author_of(row).pk != request.user.pk:
        raise acts.NotAllowed("Only its author may edit this. A moderator can withdraw it.")
    form = EDITS[type(row)](request.POST or None, instance=row)
    if request.method == "POST" and form.is_valid():
        version = _number(request.POST.get("version")) or 0
        try:
            saved = try_act(form, acts.edit, request.user, _row(table, key), version, **form.cleaned_data)
        except acts.Stale as stale:
            return _stale_page(request, form, stale.row)
        if saved:
            messages.success(request, "Saved. What stood before is kept in the history.")
            return redirect(address(saved))
    heading = {Answer: "Edit your answer", Review: "Edit your review", Comment: "Edit your comment"}[type(row)]
    return form_page(request, form, heading, "Save", version=_row(table, key).version, back=address(row))


def _stale_page(request: HttpRequest, form: Form, stands) -> HttpResponse:
    """Both texts, field by field, and the form with one's own, which now replaces what stands."""
    differences = [
        (form.fields[name].label or name, pieces(str(getattr(stands, name)), str(mine)))
        for name, mine in form.cleaned_data.items()
        if getattr(stands, name) != mine
    ]
    told = dict(form=form, stands=stands, differences=differences, version=stands.version, send="Save mine over it")
    return render(request, "desk/stale.html", told, status=409)


@signed_in
def withdraw(request: HttpRequest, table: str, key: str) -> HttpResponse:
    return _take_back(request, _row(table, key), acts.withdraw, "Withdraw", "It is shown no more. Its history stays.")


@signed_in
def restore(request: HttpRequest, table: str, key: str) -> HttpResponse:
    return _take_back(request, _row(table, key), acts.restore, "Restore", "It is shown again.")


def _take_back(request: HttpRequest, row, act: Callable, word: str, done: str) -> HttpResponse:
    own = author_of(row).pk == request.user.pk
    if not may_see(request.user, row):
        raise acts.NotAllowed("Only its author or a moderator may do that.")
    form = ReasonForm(request.POST or None, required=not own)
    if request.method == "POST" and form.is_valid():
        if try_act(form, act, request.user, row, form.cleaned_data["reason"]):
            messages.success(request, done)
            return redirect(address(row))
    heading = f"{word} this {row._meta.model_name}"
    return form_page(request, form, heading, word, row=row, back=address(row), note="desk/withdraw_note.html")


# Moderation


def _moderator(request: HttpRequest) -> None:
    if not request.user.may_moderate():
        raise acts.NotAllowed("Only moderators may see this page.")


HIDDEN = Q(verb="cast")  # who decided on which case of a round, and when: blind until it is closed, then on its page


@signed_in
def moderation(request: HttpRequest) -> HttpResponse:
    """For moderators: the audit trail, what is withdrawn, and the accounts."""
    _moderator(request)
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
        query="&".join(f"{name}={value}" for name, value in chosen.items() if value.isalnum()),
        accounts=found[:30],
        withdrawn=[
            row
            for model, whose in ((Answer, "submitted_by"), (Review, "reviewer"), (Comment, "author"))
            for row in model.objects.exclude(withdrawn_at=None).select_related(whose).order_by("-withdrawn_at")[:20]
        ],
    )
    return render(request, "desk/moderation.html", told)


@signed_in
def moderate(request: HttpRequest, username: str) -> HttpResponse:
    """Decide on an account, with a reason: its role, blocking, its profile at the source."""
    _moderator(request)
    person = get_object_or_404(Account, username=username)
    form = ModerationForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        deed, reason = form.cleaned_data["deed"], form.cleaned_data["reason"]
        if deed.startswith("role "):
            done = try_act(form, acts.set_role, request.user, person, Role(deed.removeprefix("role ")), reason)
        else:
            act = {"block": acts.block, "unblock": acts.unblock, "confirm": acts.confirm_profile}[deed]
            done = try_act(form, act, request.user, person, reason)
        if done:
            messages.success(request, f"Done: {ModerationForm.DEEDS[deed]}.")
            return redirect(address(person))
    return form_page(request, form, f"Decide on {person.username}", "Decide", person=person, back=address(person))


writing_urls = [
    path("sign-in/", sign_in, name="sign_in"),
    path("sign-out/", sign_out, name="sign_out"),
    path("sign-up/", sign_up, name="sign_up"),
    path("q/<str:site>/<str:number>/answer/", submit, name="submit"),
    path("q/<str:site>/<str:number>/comment/", comment, name="comment"),
    path("q/<str:site>/<str:number>/vote/", vote, name="vote"),
    path("q/<str:site>/<str:number>/working/", working, name="working"),
    path("a/<str:key>/review/", review, name="review"),
    path("r/<str:key>/comment/", discuss, name="discuss"),
    path("edit/<str:table>/<str:key>/", edit, name="edit"),
    path("withdraw/<str:table>/<str:key>/", withdraw, name="withdraw"),
    path("restore/<str:table>/<str:key>/", restore, name="restore"),
    path("moderation/", moderation, name="moderation"),
    path("moderation/people/<str:username>/", moderate, name="moderate"),
]
