"""What the desk stores (UQ, appendix C). Rows refer to each other by number, files and addresses by `key`.

A key never changes and is never used twice: an export and a permanent link hold it. Times are UTC.
"""

import re
import secrets
import unicodedata
from functools import reduce

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property


def new_key() -> str:
    """A fresh public key: 16 hexadecimal digits."""
    return secrets.token_hex(8)


# Letters that look like one of ASCII, as most fonts draw them; after NFKD and casefold.
_ALIKE = str.maketrans("01i|аеорсухіјѕһԁԛԝкмтвнαεορτυνκι", "olllaeopcyxljshdqwkmtbhaeoptuvkl")


def skeleton(name: str) -> str:
    """A name as the eye takes it: two names with one skeleton can be taken for each other.

    >>> skeleton("Ada"), skeleton("аdа"), skeleton("Alan1") == skeleton("aIanl"), skeleton("bernd")
    ('ada', 'ada', True, 'bemd')
    """
    letters = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
    return "".join(one for one in letters if not unicodedata.combining(one)).replace("rn", "m").replace("vv", "w")[:300]


def check_orcid(value: str) -> None:
    """Raises ValidationError for what is no ORCID iD: 16 digits, the last one a check by ISO 7064 (MOD 11-2).

    >>> check_orcid("0000-0002-1825-0097"), check_orcid("0000-0002-1694-233X")
    (None, None)
    """
    digits = [10 if digit == "X" else int(digit) for digit in re.sub("[^0-9X]", "", value)]
    if not re.fullmatch("([0-9]{4}-){3}[0-9]{3}[0-9X]", value):
        raise ValidationError("Write it as 0000-0002-1825-0097.")
    if reduce(lambda rest, digit: (2 * rest + digit) % 11, digits, 0) != 1:
        raise ValidationError("This is no ORCID iD: its last digit does not fit the others. Look for a mistyped one.")


class Role(models.TextChoices):
    """What an account may do; each role may all that stands above it."""

    READER = "reader", "Reader"  # comment, vote, submit answers
    REVIEWER = "reviewer", "Reviewer"  # review answers
    MODERATOR = "moderator", "Moderator"  # withdraw what others wrote, set roles


class Account(AbstractBaseUser):
    """A person or a program that signs in. Passwords and sessions are Django's; its permissions are a role's."""

    USERNAME_FIELD = "username"
    objects = UserManager()
    username = models.CharField(max_length=150, unique=True, validators=[UnicodeUsernameValidator()])
    email = models.EmailField("email address", blank=True)
    first_name = models.CharField(max_length=150, blank=True)
    last_name = models.CharField(max_length=150, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    is_superuser = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now)
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.READER)
    affiliation = models.CharField(max_length=200, blank=True)
    about = models.TextField(blank=True, max_length=2000)
    expertise = models.CharField(max_length=300, blank=True)  # fields, separated by commas
    orcid = models.CharField("ORCID iD", max_length=19, blank=True, validators=[check_orcid])  # as its owner gives it
    skeleton = models.CharField(max_length=300, unique=True, null=True, editable=False)  # None: of an older desk
    digest = models.BooleanField(default=False)  # wants a mail of what is new; set by a link that was mailed there
    digested_at = models.DateTimeField(null=True, blank=True)
    source_profile = models.URLField(blank=True)
    source_confirmed = models.BooleanField(default=False)  # a moderator has seen that the profile is its owner's

    def save(self, *args, **kwargs) -> None:
        if self._state.adding:
            self.skeleton = skeleton(self.username)
        super().save(*args, **kwargs)

    def has_perm(self, *_) -> bool:
        return self.is_active and self.is_superuser

    has_module_perms = has_perm

    def may_review(self) -> bool:
        return self.is_active and self.role in (Role.REVIEWER, Role.MODERATOR)

    def may_moderate(self) -> bool:
        return self.is_active and self.role == Role.MODERATOR


class Token(models.Model):
    """A key to the JSON API. Only its SHA-256 digest is stored; the token itself is shown once."""

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class Written(models.Model):
    """What an account wrote and may edit or withdraw. `version` counts edits: a stale edit is refused, not merged."""

    key = models.CharField(max_length=80, unique=True, default=new_key)
    written_at = models.DateTimeField(default=timezone.now, db_index=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        abstract = True


class Question(models.Model):
    """An unsolved question of a release (columns of UQ's public files, and what its licence asks for)."""

    key = models.CharField(max_length=80, unique=True)  # site/number
    site = models.CharField(max_length=100, db_index=True)
    category = models.CharField(max_length=100, blank=True, db_index=True)
    title = models.CharField(max_length=500)
    body = models.TextField()  # Markdown
    tags = models.JSONField(default=list)
    comments = models.JSONField(default=list)  # those of the source, as the release has them
    score = models.IntegerField(default=0)  # votes at the source
    views = models.IntegerField(default=0)
    link = models.URLField(max_length=500, blank=True)
    author = models.CharField(max_length=200, blank=True)
    posted_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="posted")
    author_link = models.URLField(max_length=500, blank=True)
    licence = models.CharField(max_length=50)  # by the post's date, e.g. CC BY-SA 4.0
    posted_at = models.DateTimeField(null=True, blank=True, db_index=True)
    source_edited_at = models.DateTimeField(null=True, blank=True)
    release = models.CharField(max_length=50, blank=True)
    diamond = models.BooleanField(default=False)
    votes = models.IntegerField(default=0, db_index=True)  # on the desk: the sum of Vote.value
    state = models.CharField(max_length=20, default="open", db_index=True)  # see `resolution.STATES`
    added_at = models.DateTimeField(default=timezone.now)


class System(models.Model):
    """Who answers: a model with all around it, or people (`people`), as the paper's 2 of 500."""

    organisation = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    base_model = models.CharField(max_length=200, blank=True)
    people = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "name", "base_model"], name="one_system")]


class Answer(Written):
    """A candidate answer, with the full prompt that it came from."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="answers")
    prompt = models.TextField()
    text = models.TextField()  # Markdown
    submitted_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="answers")

    def review_of(self, reviewer: Account) -> "Review | None":
        """The person's review of it, of which one at most stands."""
        return self.reviews.filter(reviewer=reviewer, kind=Kind.HUMAN, withdrawn_at=None).first()


class Outcome(models.TextChoices):
    """A validator's decision; `unreadable` is neither of the two."""

    ACCEPT = "accept", "Accepts"
    REJECT = "reject", "Rejects"
    UNREADABLE = "unreadable", "Unreadable"


class Verdict(models.Model):
    """One validator's verdict on an answer, with its trace (each call) and what it cost."""

    key = models.CharField(max_length=80, unique=True, default=new_key)
    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="verdicts")
    validator = models.CharField(max_length=300)  # in Proctor's notation
    judges = models.CharField(max_length=300, blank=True)
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    probability = models.FloatField(null=True, blank=True)
    calls = models.PositiveIntegerField(default=0)
    dollars = models.FloatField(default=0)
    trace = models.JSONField(default=list)
    decided_at = models.DateTimeField(default=timezone.now, db_index=True)
    ordered_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")


class Correct(models.TextChoices):
    YES = "yes", "Correct"
    NO = "no", "Not correct"
    UNSURE = "unsure", "Cannot tell"


class Kind(models.TextChoices):
    HUMAN = "human", "by a person"
    AI = "ai", "by a model"


class Review(Written):
    """A review of an answer: correctness and confidence (1 guess to 5 certain), shown beside the answer."""

    answer = models.ForeignKey(Answer, on_delete=models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="reviews")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.HUMAN)
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT)  # an AI review's
    correct = models.CharField(max_length=10, choices=Correct.choices)
    confidence = models.PositiveSmallIntegerField(validators=[MinValueValidator(1), MaxValueValidator(5)])
    text = models.TextField()
    conflict = models.BooleanField(default=False)
    conflict_text = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "reviewer"],
                condition=models.Q(kind="human", withdrawn_at=None),
                name="one_standing_review",
            ),
            models.CheckConstraint(condition=models.Q(confidence__range=(1, 5)), name="confidence_1_to_5"),
        ]


class Comment(Written):
    """A remark on a question (its quality, a source, a doubt), or on a review of an answer to it."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="remarks")
    review = models.ForeignKey(Review, null=True, blank=True, on_delete=models.PROTECT, related_name="remarks")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="remarks")
    text = models.TextField()


class Vote(models.Model):
    """An account's vote on a question: 1 or -1; none when taken back."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="ballots")
    voter = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="ballots")
    value = models.SmallIntegerField()
    cast_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["question", "voter"], name="one_vote")]


class Ticket(models.Model):
    """What an account asks of the moderators (see `people.ask`), and what they decided."""

    class Kinds(models.TextChoices):
        REVIEWER = "reviewer", "asks to become a reviewer"
        REPORT = "report", "reports a page"
        QUESTION = "question", "proposes a question"

    key = models.CharField(max_length=80, unique=True, default=new_key)
    kind = models.CharField(max_length=20, choices=Kinds.choices)
    by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="tickets")
    text = models.TextField(blank=True, max_length=20_000)  # why
    details = models.JSONField(default=dict)
    sent_at = models.DateTimeField(default=timezone.now)
    accepted = models.BooleanField(null=True, blank=True)  # None: not yet decided
    decided_by = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, max_length=2000)


class Act(models.Model):
    """The audit trail: who did what to which row, why, and what stood there before. Never changed."""

    actor = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="acts")
    verb = models.CharField(max_length=40, db_index=True)  # submit, review, edit, withdraw, restore, set role, ...
    table = models.CharField(max_length=40)
    key = models.CharField(max_length=80, db_index=True)
    reason = models.TextField(blank=True)
    before = models.JSONField(default=dict)  # the fields that an edit replaced
    at = models.DateTimeField(default=timezone.now, db_index=True)


class Use(models.Model):
    """How often someone did something in a window of time: what rate limits count."""

    who = models.CharField(max_length=80, unique=True)  # the action, the window, a digest of the account or address
    count = models.PositiveIntegerField(default=0)
    until = models.DateTimeField(db_index=True)


class Round(models.Model):
    """Cases that go through one of the papers' protocols of review (`round_protocols`), run by an organizer."""

    key = models.CharField(max_length=80, unique=True, default=new_key)
    protocol = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    organizer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="rounds")
    people = models.JSONField(default=dict)  # part -> usernames, from which the seats of a case are filled
    settings = models.JSONField(default=dict)
    opened_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True, blank=True)


ORGANIZER, AUTHOR = "organizer", "author"  # parts that nobody is seated for


class Case(models.Model):
    """What a round decides on. material: its fields; evidence: what models said of it, which some parts may not see.

    Protocols (`round_rules`) read it, with the two lists below; `rounds.with_all` finds many in few queries.
    """

    key = models.CharField(max_length=80, unique=True, default=new_key)
    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="cases")
    place = models.PositiveIntegerField()
    author = models.ForeignKey(Account, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    material = models.JSONField(default=dict)
    evidence = models.JSONField(default=dict)
    state = models.CharField(max_length=40, blank=True)  # as the protocol decides; kept by `rounds`
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "place"], name="one_place")]

    @cached_property
    def parts(self) -> dict[str, str]:
        """The part of each account that has a seat, by username."""
        return {seat.account.username: seat.part for seat in sorted(self.seats.all(), key=lambda seat: seat.pk)}

    @cached_property
    def ballots(self) -> list["Ballot"]:
        """In the order in which they were cast."""
        return sorted(self.cast.all(), key=lambda ballot: ballot.number)

    @property
    def closed(self) -> bool:
        """Whether its round is over."""
        return self.round.closed_at is not None

    def part_of(self, account: str) -> str:
        """The part that an account has in it, "" for none."""
        own = {self.author.username: AUTHOR} if self.author else {}
        return (own | {self.round.organizer.username: ORGANIZER} | self.parts).get(account, "")

    def seated(self, part: str) -> list[str]:
        return [account for account, own in self.parts.items() if own == part]

    def made(self, move: str, by: str | None = None) -> list["Ballot"]:
        """The ballots of a move, of all or of one account."""
        return [one for one in self.ballots if one.move == move and by in (None, one.by.username)]

    def all_in(self, part: str, move: str) -> bool:
        """Whether each seat of a part has made the move."""
        return bool(self.seated(part)) and {one.by.username for one in self.made(move)} >= set(self.seated(part))


class Seat(models.Model):
    """An account's part in a case. The round's organizer has none."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="seats")
    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="seats")
    part = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "account"], name="one_seat")]


class Ballot(models.Model):
    """A move in a case, with what its form held. Never changed; who may read it is part of the protocol."""

    key = models.CharField(max_length=80, unique=True, default=new_key)
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="cast")
    number = models.PositiveIntegerField()
    by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="cast")
    part = models.CharField(max_length=40)
    move = models.CharField(max_length=40)
    form = models.JSONField(default=dict)
    cast_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["case", "number"], name="one_number")]


class Job(models.Model):
    """A run of a validator over answers, ordered from the desk (`jobs`). What it found are Verdicts."""

    key = models.CharField(max_length=80, unique=True, default=new_key)
    ordered_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="jobs")
    validator = models.CharField(max_length=300)
    judges = models.JSONField(default=list)
    temperature = models.FloatField(default=0)
    answers = models.ManyToManyField(Answer, related_name="jobs")
    state = models.CharField(max_length=20, default="planned")  # see `jobs.STATES`
    message = models.TextField(blank=True)
    most_calls = models.PositiveIntegerField(default=0)  # the bill: an upper bound
    most_dollars = models.FloatField(null=True, blank=True)  # None: no price known
    calls = models.PositiveIntegerField(default=0)  # sent so far, over all starts
    dollars = models.FloatField(default=0)
    judged = models.JSONField(default=list)  # keys of the answers whose verdict is stored
    beat_at = models.DateTimeField(null=True, blank=True)  # last sign of life
    planned_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
