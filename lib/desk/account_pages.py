"""Pages of one's own account: signing in and up, passwords (Django's own views), tokens, the digest; and requests."""

import json

from django import forms
from django.conf import settings
from django.contrib import auth, messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core import signing
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import ListView

from desk import people, security
from desk.form_pages import FormPage, Moderators, area, as_draft, radio, reason, signed_in, try_act
from desk.models import Account, Ticket, Token
from desk.trail import Refused, address, record

DAYS = 7  # a link to begin a digest is good for
HINTS = {  # of an account's fields
    "username": "Public: it stands next to what you write. Letters, digits and @ . + - _",
    "email": "For a forgotten password, and for a digest if you ask for one. Never shown.",
    "affiliation": "Where you work or study, if you like. Reviews of your own organisation's answers do not count.",
    "about": "Public.",
    "orcid": "As 0000-0002-1825-0097. Public, as you give it.",
    "expertise": "What you know well, separated by commas. Public.",
    "source_profile": "Your Stack Exchange profile, if you posted questions there",
}


def _of_account(*names: str) -> dict[str, forms.Field]:
    """Fields of a form for these fields of an account."""
    name = forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"})
    widgets = dict(username=name, about=forms.Textarea(attrs={"rows": 5}))
    return forms.fields_for_model(Account, names, widgets=widgets, help_texts=HINTS)


def _password(**more: str) -> forms.CharField:
    return forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), **more)


class SignIn(views.LoginView):
    """A form that was sent after the session had ended is kept in this one, and sent again afterwards."""

    template_name = "desk/sign_in.html"

    def post(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        security.spend("sign_in", security.address(request))
        security.spend("sign_in_to_one_name", f"name {request.POST.get('username', '')[:150]}")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        reply, sent = super().form_valid(form), _draft(self.request)
        return render(self.request, "desk/resume.html", dict(sent=sent, action=reply["Location"])) if sent else reply

    def get_context_data(self, **more) -> dict:
        return super().get_context_data(**as_draft(_draft(self.request)), **more)


def _draft(request: HttpRequest) -> dict[str, str]:
    try:
        sent = json.loads(request.POST.get("draft") or "{}")
    except ValueError:
        return {}
    return {str(name): str(value) for name, value in sent.items()} if isinstance(sent, dict) else {}


@method_decorator([never_cache, sensitive_post_parameters("password", "password_again")], name="dispatch")
class SignUp(views.RedirectURLMixin, FormPage):
    public, note, next_page = True, "desk/sign_up_note.html", "questions"
    heading, send = "Make an account", "Make the account"
    fields = {
        **_of_account("username"),
        "password": _password(help_text=" ".join(password_validators_help_texts())),
        "password_again": _password(label="The password again"),
        **_of_account("email", "affiliation", "source_profile"),
    }

    def post(self, request: HttpRequest, *args, **kwargs) -> HttpResponse:
        security.spend("sign_up", security.address(request))
        return super().post(request, *args, **kwargs)

    def act(self, username: str, password: str, password_again: str, **fields: str) -> Account:
        if password != password_again:
            raise Refused({"password_again": "The two passwords differ."})
        made = people.sign_up(username, password, **fields)
        auth.login(self.request, made, backend="django.contrib.auth.backends.ModelBackend")
        self.done = f"Welcome, {made.username}."
        return made

    def onwards(self, made: Account) -> str:
        return self.get_success_url()


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

    template_name = "desk/tokens.html"
    fields = dict(name=forms.CharField(max_length=100, help_text="For yourself: the program or machine that uses it."))
    heading, send = "Tokens for programs", "Make a token"

    def load(self) -> None:
        self.shown = dict(tokens=self.request.user.tokens.filter(revoked_at=None).order_by("pk"))

    def form_valid(self, form):
        made = try_act(form, people.make_token, self.request.user, form.cleaned_data["name"])
        if made is None:
            return self.form_invalid(form)
        return self.render_to_response(self.get_context_data(form=self.get_form_class()(), made=made[1]))


class Profile(FormPage):
    heading, send, done = "Your page", "Save", "Saved."
    fields = {
        **_of_account("affiliation"),
        "orcid": forms.CharField(
            required=False,
            max_length=100,
            label="ORCID iD",
            help_text=HINTS["orcid"],
        ),
        **_of_account("expertise", "about", "source_profile", "email"),
        "digest": forms.BooleanField(required=False, label="Mail me a digest of what is new"),
    }

    def load(self) -> None:
        self.shown = dict(back=address(self.request.user))
        self.initial = {name: getattr(self.request.user, name) for name in self.fields}

    def act(self, orcid: str, digest: bool, **fields: str) -> Account:
        if digest and not fields["email"]:
            raise Refused({"email": "Needed for a digest."})
        orcid = orcid.strip().removeprefix("https://orcid.org/").upper()
        account = people.edit_profile(self.request.user, orcid=orcid, **fields)
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


def _check_page(page: str) -> None:
    if not (page.startswith("/") and url_has_allowed_host_and_scheme(page, None)):
        raise forms.ValidationError("No page of this desk. Its address begins with one slash.")


class Ask(FormPage):
    done = "A moderator will decide. The answer will stand on your page."
    KINDS = {  # what one may ask for: heading, the button, fields
        "reviewer": ("Become a reviewer", "Ask the moderators", dict(
            expertise=forms.CharField(
                max_length=300, label="Your fields", help_text="Separated by commas: lattices, order theory. Public."
            ),
            text=area(
                4, max_length=2000, label="How you know them", help_text="Studies, work, papers, or answers here."
            ),
        )),
        "report": ("Report a page", "Report it to the moderators", dict(
            page=forms.CharField(
                max_length=500,
                validators=[_check_page],
                help_text="The part of its address behind the name of this site.",
            ),
            text=area(4, max_length=2000, label="What is wrong with it"),
        )),
        "question": ("Propose a question", "Propose it", dict(
            title=forms.CharField(max_length=500),
            body=area(
                10,
                label="The question",
                help_text="With all that it takes to answer it. Markdown and formulas work. Public: CC BY-SA 4.0.",
            ),
            category=forms.CharField(max_length=100, required=False),
            tags=forms.CharField(required=False, max_length=200, help_text="Separated by commas."),
            text=area(
                3, max_length=2000, label="Where you looked", help_text="So that a moderator sees it is open."
            ),
        )),
    }  # fmt: skip

    def load(self, kind: str) -> None:
        self.heading, self.send, self.fields = self.KINDS[kind]
        self.initial = {"page": self.request.GET.get("page", ""), "expertise": self.request.user.expertise}

    def act(self, **fields) -> Account:
        return people.ask(self.request.user, self.kwargs["kind"], **fields).by


class Queue(Moderators, ListView):
    template_name, context_object_name = "desk/queue.html", "undecided"
    queryset = Ticket.objects.filter(decided_at=None).select_related("by").order_by("pk")

    def get_context_data(self, **more) -> dict:
        decided = Ticket.objects.exclude(decided_at=None).select_related("by", "decided_by").order_by("-decided_at")
        return super().get_context_data(decided=decided[:20], **more)


class Decide(Moderators, FormPage):
    send, note, done = "Decide", "desk/ticket.html", "Decided."
    fields = dict(
        accept=radio([("yes", "Accept"), ("no", "Decline")], label="Decision"),
        reason=reason("Shown to the person who asked."),
    )

    def load(self, key: str) -> None:
        self.ticket = get_object_or_404(Ticket.objects.select_related("by", "decided_by"), key=key)
        heading = f"{self.ticket.by.username} {self.ticket.get_kind_display()}"
        self.shown = dict(ticket=self.ticket, heading=heading, back=reverse("queue"))

    def act(self, accept: str, reason: str) -> Ticket:
        return people.decide_request(self.request.user, self.ticket, accept == "yes", reason)

    def onwards(self, made: Ticket) -> str:
        return reverse("queue")
