"""Pages of one's own account: passwords (Django's own views), tokens for programs, the digest by mail.

/me/password/, /forgotten/, /forgotten/<uidb64>/<token>/    change it, or ask for a link by mail and set a new one
/me/tokens/                                                 make a token, which is shown once, and revoke it
/mail/<signed>/                                             where links in mails lead: a digest, yes or no
"""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.core import signing
from django.core.mail import send_mail
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse, reverse_lazy
from django.views.decorators.cache import never_cache

from desk import people, rate_limits, tokens
from desk.forms import ProfileForm, TokenForm
from desk.models import Account, Token
from desk.pages import address
from desk.trail import record
from desk.writing import FormPage, form_page, signed_in, try_act

DAYS = 7  # a link to begin a digest is good for


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
        rate_limits.spend("sign_in", f"password of {request.user.pk}")
        return super().post(request, *args, **kwargs)


class Forgotten(views.PasswordResetView):
    template_name, success_url = "desk/form.html", reverse_lazy("sign_in")
    extra_context = dict(heading="Forgotten password", send="Send me a link", note="desk/forgotten_note.html")

    def post(self, request, *args, **kwargs):
        rate_limits.spend("mail", rate_limits.address(request), f"mail {request.POST.get('email', '')[:254]}")
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

    def get_context_data(self, **more) -> dict:
        standing = self.request.user.tokens.filter(revoked_at=None).order_by("pk")
        return super().get_context_data(tokens=standing, heading="Tokens for programs", send="Make a token", **more)

    def form_valid(self, form):
        made = self.attempt(form)
        if made is None:
            return self.form_invalid(form)
        return self.render_to_response(self.get_context_data(form=TokenForm(), made=made[1]))

    def act(self, name: str):
        return tokens.make(self.request.user, name)


@signed_in
def profile(request: HttpRequest) -> HttpResponse:
    form = ProfileForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data.pop("digest")
        if account := try_act(form, people.edit_profile, request.user, **form.cleaned_data):
            messages.success(request, "Saved.")
            _change_digest(request, account, wanted)
            return redirect(address(account))
    return form_page(request, form, "Your page", "Save", back=address(request.user))


def _change_digest(request: HttpRequest, account: Account, wanted: bool) -> None:
    """End a digest; or mail the link that begins it."""
    if account.digest and not wanted:
        people.set_digest(account, False)
    elif wanted and not account.digest:
        rate_limits.spend("mail", f"account {account.pk}", f"mail {account.email}")
        try:
            ask_for_digest(account)
            messages.info(request, f"We have sent a mail to {account.email}. Its link begins the digest.")
        except OSError:
            messages.error(request, "The mail for the digest could not be sent. Try again later.")


@signed_in
def revoke(request: HttpRequest, number: int):
    token = get_object_or_404(Token, pk=number, account=request.user)
    if request.method == "POST":
        tokens.revoke(request.user, token)
        messages.success(request, f"The token {token.name} is revoked.")
    return redirect("tokens")


def mail_link(account: Account, digest: bool) -> str:
    """The address of a page that begins or ends the digest to the account's present address."""
    signed = signing.dumps([account.pk, account.email, digest], salt="digest", compress=True)
    return settings.HOME + reverse("mail_link", args=[signed])


def ask_for_digest(account: Account) -> None:
    """Mail a link that begins the digest: so nobody orders one to another's address. Raises OSError."""
    text = f"Someone asked for a digest of the review desk to this address. To get it: {mail_link(account, True)}\n"
    send_mail("Do you want a digest of the review desk?", text, None, [account.email])


class MailLink(FormPage):
    """Says what the link does; the button does it. A mail program that opens every link changes nothing."""

    form_class, success_url = forms.Form, reverse_lazy("questions")

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        try:
            pk, email, self.digest = signing.loads(kwargs["signed"], salt="digest")
            if self.digest:
                signing.loads(kwargs["signed"], salt="digest", max_age=DAYS * 24 * 3600)
        except signing.BadSignature:
            raise Http404 from None
        self.account = get_object_or_404(Account, pk=pk, email=email, is_active=True)

    def get_context_data(self, **more) -> dict:
        heading = f"{'Begin' if self.digest else 'End'} the digest to {self.account.email}"
        return super().get_context_data(heading=heading, send="Begin it" if self.digest else "End it", **more)

    def act(self):
        return people.set_digest(self.account, self.digest)


account_urls = [
    path("me/", profile, name="profile"),
    path("me/password/", signed_in(Change.as_view()), name="password"),
    path("me/tokens/", never_cache(signed_in(Tokens.as_view())), name="tokens"),
    path("me/tokens/<int:number>/", revoke, name="revoke"),
    path("forgotten/", Forgotten.as_view(), name="forgotten"),
    path("forgotten/<uidb64>/<token>/", Reset.as_view(), name="password_reset_confirm"),
    path("mail/<path:signed>/", MailLink.as_view(), name="mail_link"),
]
