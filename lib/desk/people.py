"""Acts on accounts: signing up, roles, blocking, confirmed posters; and what a reviewer has earned."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Prefetch

from desk.models import Account, Kind, Question, Review, Role
from desk.resolution import RULE, SETTLED, Rule, counts, course, said_at
from desk.trail import NotAllowed, Refused, active, check, needs_reason, record

PROFILE = ("affiliation", "about", "expertise", "orcid", "source_profile", "email", "first_name", "last_name")


@transaction.atomic
def sign_up(username: str, password: str, **fields: str) -> Account:
    """A new reader. Raises Refused for a name that is taken, whatever its case, or a weak password."""
    if unknown := set(fields) - set(PROFILE):
        raise Refused(dict.fromkeys(unknown, "is not yours to set."))
    account = Account(username=Account.normalize_username(username), **fields)
    if Account.objects.filter(username__iexact=account.username).exists():
        raise Refused({"username": "is taken. Choose another."})
    _give_password(account, password)
    check(account)
    try:
        with transaction.atomic():
            account.save()
    except IntegrityError:
        raise Refused({"username": "is taken, or looks like one that is. Choose another."}) from None
    record(account, "sign up", account)
    return account


def _give_password(account: Account, password: str) -> None:
    try:
        validate_password(password, account)
    except ValidationError as error:
        raise Refused({"password": " ".join(error.messages)}) from None
    account.set_password(password)


@transaction.atomic
def set_password(account: Account, password: str) -> Account:
    """A new password, by the command or by its owner who gave the old one."""
    _give_password(account, password)
    account.save(update_fields=["password"])
    record(None, "set password", account)
    return account


@transaction.atomic
def set_digest(account: Account, digest: bool) -> Account:
    """Whether the account gets mail of what is new; to True by a link that was mailed to its address alone."""
    account.digest = digest
    account.save(update_fields=["digest"])
    record(account, "begin digest" if digest else "end digest", account)
    return account


@transaction.atomic
def make_admin(account: Account) -> Account:
    """Open Django's admin to an account: only the command does."""
    account.is_staff = account.is_superuser = True
    account.save(update_fields=["is_staff", "is_superuser"])
    record(None, "make admin", account)
    return account


@transaction.atomic
def edit_profile(by: Account, **fields: str) -> Account:
    """Change one's own page. Another profile at the source is no longer confirmed."""
    if unknown := set(fields) - set(PROFILE):
        raise Refused(dict.fromkeys(unknown, "is not yours to set."))
    account = active(by)
    before = {name: getattr(account, name) for name, value in fields.items() if getattr(account, name) != value}
    for name in before:
        setattr(account, name, fields[name])
    if "source_profile" in before:
        account.source_confirmed = False
    if "email" in before:
        account.digest = False
    check(account)
    account.save()
    if before:
        record(account, "edit", account, before={name: old for name, old in before.items() if name != "email"})
    return account


DEEDS = {  # of a moderator: what the form says, the act, what it sets
    **{f"role {role}": (f"make {label.lower()}", "set role", dict(role=role)) for role, label in Role.choices},
    "block": ("block the account", "block", dict(is_active=False)),
    "unblock": ("unblock the account", "unblock", dict(is_active=True)),
    "confirm": ("confirm its profile at the source", "confirm profile", dict(source_confirmed=True)),
}


@transaction.atomic
def decide(by: Account | None, account: Account, deed: str, reason: str = "") -> Account:
    """One of `DEEDS` on an account, by a moderator with a reason; `by` None is the command, which needs none.

    A blocked account writes and signs in no more; what it wrote stays, and can be withdrawn.
    """
    both = Account.objects.filter(pk__in=[account.pk, (by or account).pk]).order_by("pk")
    list(both.select_for_update())  # of two moderators who demote each other the second one no longer may
    if by is not None and not active(by).may_moderate():
        raise NotAllowed("Only a moderator may do that.")
    if by is not None and by.pk == account.pk:
        raise NotAllowed("Nobody decides on his own account. Ask another moderator.")
    if deed == "confirm" and not account.source_profile:
        raise Refused({"source_profile": "This account names none."})
    reason = needs_reason(by, reason)
    account = Account.objects.get(pk=account.pk)
    _, verb, fields = DEEDS[deed]
    before = {name: getattr(account, name) for name in fields}
    for name, value in fields.items():
        setattr(account, name, value)
    account.save(update_fields=list(fields))
    record(by, verb, account, reason, before)
    return account


def is_poster(account: Account, question: Question) -> bool:
    """Whether the account posted the question: here, or at the source as a moderator has confirmed."""
    if question.posted_by_id == account.pk:
        return True
    same = account.source_profile.rstrip("/") == question.author_link.rstrip("/")
    return bool(account.source_profile) and account.source_confirmed and same


def asked_by(account: Account):
    """The questions that an account posted: here, or at the source once a moderator has confirmed its profile."""
    profile, found = account.source_profile.rstrip("/"), Question.objects.filter(posted_by=account)
    if profile and account.source_confirmed:
        found |= Question.objects.filter(author_link__in=[profile, f"{profile}/"])
    return found


def badge(account: Account, rule: Rule = RULE) -> dict[str, int]:
    """A verifier's badge: `reviews` that count, `settled` ones whose answer was decided at or after them, `agreed`.

    A review written after the decision earns nothing: whoever follows the others shows no skill.
    """
    own = Review.objects.filter(reviewer=account, kind=Kind.HUMAN, withdrawn_at=None, answer__withdrawn_at=None)
    every = Prefetch("answer__reviews", Review.objects.filter(withdrawn_at=None).select_related("reviewer"))
    reviews = [one for one in own.select_related("answer__system", "reviewer").prefetch_related(every) if counts(one)]
    found = dict(reviews=len(reviews), settled=0, agreed=0)
    for review in reviews:
        state, since = course(review.answer.reviews.all(), rule)
        if state in SETTLED and said_at(review) <= since:
            found["settled"] += 1
            found["agreed"] += review.correct == SETTLED[state]
    return found
