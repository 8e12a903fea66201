"""Pages of one's own account: signing in and up, passwords (Django's own views), tokens, the digest; and requests.

/me/password/, /forgotten/, /forgotten/<uidb64>/<token>/    change it, or ask for a link by mail and set a new one
/me/tokens/                                                 make a token, which is shown once, and revoke it
/mail/<signed>/                                             where links in mails lead: a digest, yes or no
/ask/reviewer/, /ask/report/?page=, /ask/question/          what an account asks of the moderators
/moderation/queue/, /moderation/queue/<key>/                what is undecided, and the decision with its reason
"""

import json
from copy import copy

from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.core import signing
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import ListView

from desk import people, security
from desk.form_pages import FormPage, Moderators, sign_in_page, signed_in, try_act
from desk.forms import DecisionForm, ProfileForm, ProposalForm, ReportForm, ReviewerForm, SignUpForm, TokenForm
from desk.models import Account, Ticket, Token
from desk.pages import address
from desk.trail import record

DAYS = 7  # a link to begin a digest is good for


@never_cache
@sensitive_post_parameters("password")
def sign_in(request: HttpRequest) -> HttpResponse:
    onwards = _own_address(request, request.POST.get("next") or request.GET.get("next") or "")
    sent = _draft(request)
    if request.method == "POST":
        security.spend("sign_in", security.address(request))
        security.spend("sign_in_to_one_name", f"name {request.POST.get('username', '')[:150]}")
    form = AuthenticationForm(request, request.POST or None)
    if request.method == "POST" and form.is_valid():
        auth.login(request, form.get_user())
        if sent:
            return render(request, "desk/resume.html", dict(sent=sent, action=onwards))
        return redirect(onwards)
    return sign_in_page(request, form, onwards, sent)


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


@method_decorator([never_cache, sensitive_post_parameters("password", "password_again")], name="dispatch")
class SignUp(FormPage):
    public, form_class, note = True, SignUpForm, "desk/sign_up_note.html"
    heading, send = "Make an account", "Make the account"

    def post(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        security.spend("sign_up", security.address(request))
        return super().post(request, *args, **kwargs)

    def act(self, username: str, password: str, password_again: str, **fields: str) -> Account:
        made = people.sign_up(username, password, **fields)
        auth.login(self.request, made, backend="django.contrib.auth.backends.ModelBackend")
        self.done = f"Welcome, {made.username}."
        return made

    def onwards(self, made: Account) -> str:
        return _own_address(self.request, self.request.GET.get("next", ""))


class NewPassword:
    """What is common to the two views that set a password."""

    template_name, success_url = "desk/form.html", reverse_lazy("sign_in")
    extra_context = dict(heading="A new password", send="Set the password")

    def form_valid(self, form):
        reply = super().form_valid(form)
        record(form.user, "set password", form.user)
        messages.success(self.request, "Your password is changed.")
        return reply


class Change(NewPassword, views.PasswordChangeView):
    success_url = reverse_lazy("profile")

    def post(self, request, *args, **kwargs):
        security.spend("sign_in", f"password of {request.user.pk}")
        return super().post(request, *args, **kwargs)


class Forgotten(views.PasswordResetView):
    template_name, success_url = "desk/form.html", reverse_lazy("sign_in")
    extra_context = dict(heading="Forgotten password", send="Send me a link", note="desk/forgotten_note.html")

    def post(self, request, *args, **kwargs):
        security.spend("mail", security.address(request), f"mail {request.POST.get('email', '')[:254]}")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form):
        messages.success(self.request, "If an account has this address, a mail with a link is on its way.")
        return super().form_valid(form)


class Reset(NewPassword, views.PasswordResetConfirmView):
    def render_to_response(self, context, **how):
        if self.validlink:
            return super().render_to_response(context, **how)
        messages.error(self.request, "This link was used already, or is too old. Ask for another one.")
        return redirect("forgotten")


class Tokens(FormPage):
    """One's tokens. The text of a new one is on the page that answers the form, and nowhere else."""

    template_name, form_class = "desk/tokens.html", TokenForm

    heading, send = "Tokens for programs", "Make a token"

    def load(self) -> None:
        self.shown = dict(tokens=self.request.user.tokens.filter(revoked_at=None).order_by("pk"))

    def form_valid(self, form):
        made = try_act(form, people.make_token, self.request.user, form.cleaned_data["name"])
        if made is None:
            return self.form_invalid(form)
        return self.render_to_response(self.get_context_data(form=TokenForm(), made=made[1]))


class Profile(FormPage):
    form_class, heading, send, done = ProfileForm, "Your page", "Save", "Saved."

    def load(self) -> None:
        self.shown = dict(back=address(self.request.user))
        self.how = dict(instance=copy(self.request.user))

    def act(self, digest: bool, **fields: str) -> Account:
        account = people.edit_profile(self.request.user, **fields)
        _change_digest(self.request, account, digest)
        return account


def _change_digest(request: HttpRequest, account: Account, wanted: bool) -> None:
    """End a digest; or mail the link that begins it: so nobody orders one to another's address."""
    if account.digest and not wanted:
        people.set_digest(account, False)
    elif wanted and not account.digest:
        security.spend("mail", f"account {account.pk}", f"mail {account.email}")
        text = f"Someone asked for a digest of the review desk to this address. To get it: {mail_link(account, True)}\n"
        try:
            send_mail("Do you want a digest of the review desk?", text, None, [account.email])
            messages.info(request, f"We have sent a mail to {account.email}. Its link begins the digest.")
        except OSError:
            messages.error(request, "The mail for the digest could not be sent. Try again later.")


@signed_in
def revoke(request: HttpRequest, number: int):
    token = get_object_or_404(Token, pk=number, account=request.user)
    if request.method == "POST":
        people.revoke_token(request.user, token)
        messages.success(request, f"The token {token.name} is revoked.")
    return redirect("tokens")


def mail_link(account: Account, digest: bool) -> str:
    """The address of a page that begins or ends the digest to the account's present address."""
    signed = signing.dumps([account.pk, account.email, digest], salt="digest", compress=True)
    return settings.HOME + reverse("mail_link", args=[signed])


class MailLink(FormPage):
    """Says what the link does; the button does it. A mail program that opens every link changes nothing."""

    public, done = True, "Saved."

    def load(self, signed: str) -> None:
        try:
            pk, email, self.digest = signing.loads(signed, salt="digest")
            if self.digest:
                signing.loads(signed, salt="digest", max_age=DAYS * 24 * 3600)
        except signing.BadSignature:
            raise Http404 from None
        self.account = get_object_or_404(Account, pk=pk, email=email, is_active=True)

        word = "Begin" if self.digest else "End"
        self.shown = dict(heading=f"{word} the digest to {email}", send=f"{word} it")

    def onwards(self, made: Account) -> str:
        return reverse("questions")

    def act(self):
        return people.set_digest(self.account, self.digest)


# Requests to the moderators


class Ask(FormPage):
    kind = ""
    done = "A moderator will decide. The answer will stand on your page."

    def get_initial(self) -> dict:
        return {"page": self.request.GET.get("page", ""), "expertise": self.request.user.expertise}

    def act(self, **fields) -> Account:
        return people.ask(self.request.user, self.kind, **fields).by


class Queue(Moderators, ListView):
    template_name, context_object_name = "desk/queue.html", "undecided"
    queryset = Ticket.objects.filter(decided_at=None).select_related("by").order_by("pk")

    def get_context_data(self, **more) -> dict:
        decided = Ticket.objects.exclude(decided_at=None).select_related("by", "decided_by").order_by("-decided_at")
        return super().get_context_data(decided=decided[:20], **more)


class Decide(Moderators, FormPage):
    form_class, send, note, done = DecisionForm, "Decide", "desk/ticket.html", "Decided."

    def load(self, key: str) -> None:
        self.ticket = get_object_or_404(Ticket.objects.select_related("by", "decided_by"), key=key)
        heading = f"{self.ticket.by.username} {self.ticket.get_kind_display()}"
        self.shown = dict(ticket=self.ticket, heading=heading, back=reverse("queue"))

    def act(self, accept: bool, reason: str) -> Ticket:
        return people.decide_request(self.request.user, self.ticket, accept, reason)

    def onwards(self, made: Ticket) -> str:
        return reverse("queue")


def _ask(kind: str, form_class: type, heading: str, send: str):
    return Ask.as_view(kind=kind, form_class=form_class, heading=heading, send=send)


account_urls = [
    path("sign-in/", sign_in, name="sign_in"),
    path("sign-out/", views.LogoutView.as_view(), name="sign_out"),
    path("sign-up/", SignUp.as_view(), name="sign_up"),
    path("me/", Profile.as_view(), name="profile"),
    path("me/password/", signed_in(Change.as_view()), name="password"),
    path("me/tokens/", never_cache(Tokens.as_view()), name="tokens"),
    path("me/tokens/<int:number>/", revoke, name="revoke"),
    path("forgotten/", Forgotten.as_view(), name="forgotten"),
    path("forgotten/<uidb64>/<token>/", Reset.as_view(), name="password_reset_confirm"),
    path("mail/<path:signed>/", MailLink.as_view(), name="mail_link"),
    path("ask/reviewer/", _ask("reviewer", ReviewerForm, "Become a reviewer", "Ask the moderators"), name="ask_role"),
    path("ask/report/", _ask("report", ReportForm, "Report a page", "Report it to the moderators"), name="report"),
    path("ask/question/", _ask("question", ProposalForm, "Propose a question", "Propose it"), name="propose"),
    path("moderation/queue/", signed_in(Queue.as_view()), name="queue"),
    path("moderation/queue/<str:key>/", Decide.as_view(), name="decide"),
]
