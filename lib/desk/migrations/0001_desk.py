# What Django writes for the models as they are; choices, of which no table holds anything, are theirs.
# It replaces five migrations; see `command.ready` for a desk between these.

from django.contrib.auth.models import UserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import PROTECT
from django.utils.timezone import now

from desk.models import Correct, Kind, Outcome, Role, Ticket, check_orcid, new_key

WRITTEN = [
    ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
    ("key", models.CharField(default=new_key, max_length=80, unique=True)),
    ("written_at", models.DateTimeField(db_index=True, default=now)),
    ("edited_at", models.DateTimeField(blank=True, null=True)),
    ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
    ("version", models.PositiveIntegerField(default=1)),
]


class Migration(migrations.Migration):
    replaces = [
        ("desk", "0001_first"),
        ("desk", "0002_limits_and_posters"),
        ("desk", "0003_rounds_and_jobs"),
        ("desk", "0004_community"),
        ("desk", "0005_discussion_and_orcid"),
    ]

    initial = True
    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                ("username", models.CharField(max_length=150, unique=True, validators=[UnicodeUsernameValidator()])),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                ("first_name", models.CharField(blank=True, max_length=150)),
                ("last_name", models.CharField(blank=True, max_length=150)),
                ("is_active", models.BooleanField(default=True)),
                ("is_staff", models.BooleanField(default=False)),
                ("is_superuser", models.BooleanField(default=False)),
                ("date_joined", models.DateTimeField(default=now)),
                ("role", models.CharField(choices=Role.choices, default="reader", max_length=20)),
                ("affiliation", models.CharField(blank=True, max_length=200)),
                ("about", models.TextField(blank=True, max_length=2000)),
                ("expertise", models.CharField(blank=True, max_length=300)),
                (
                    "orcid",
                    models.CharField(blank=True, max_length=19, validators=[check_orcid], verbose_name="ORCID iD"),
                ),
                ("skeleton", models.CharField(editable=False, max_length=300, null=True, unique=True)),
                ("digest", models.BooleanField(default=False)),
                ("digested_at", models.DateTimeField(blank=True, null=True)),
                ("source_profile", models.URLField(blank=True)),
                ("source_confirmed", models.BooleanField(default=False)),
            ],
            managers=[("objects", UserManager())],
        ),
        migrations.CreateModel(
            name="Token",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("account", models.ForeignKey("desk.account", PROTECT, related_name="tokens")),
                ("name", models.CharField(max_length=100)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=now)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Question",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=80, unique=True)),
                ("site", models.CharField(db_index=True, max_length=100)),
                ("category", models.CharField(blank=True, db_index=True, max_length=100)),
                ("title", models.CharField(max_length=500)),
                ("body", models.TextField()),
                ("tags", models.JSONField(default=list)),
                ("comments", models.JSONField(default=list)),
                ("score", models.IntegerField(default=0)),
                ("views", models.IntegerField(default=0)),
                ("link", models.URLField(blank=True, max_length=500)),
                ("author", models.CharField(blank=True, max_length=200)),
                ("posted_by", models.ForeignKey("desk.account", PROTECT, blank=True, null=True, related_name="posted")),
                ("author_link", models.URLField(blank=True, max_length=500)),
                ("licence", models.CharField(max_length=50)),
                ("posted_at", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("source_edited_at", models.DateTimeField(blank=True, null=True)),
                ("release", models.CharField(blank=True, max_length=50)),
                ("diamond", models.BooleanField(default=False)),
                ("votes", models.IntegerField(db_index=True, default=0)),
                ("state", models.CharField(db_index=True, default="open", max_length=20)),
                ("added_at", models.DateTimeField(default=now)),
            ],
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("organisation", models.CharField(max_length=200)),
                ("name", models.CharField(max_length=200)),
                ("base_model", models.CharField(blank=True, max_length=200)),
                ("people", models.BooleanField(default=False)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organisation", "name", "base_model"), name="one_system")
                ]
            },
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                *WRITTEN,
                ("question", models.ForeignKey("desk.question", PROTECT, related_name="answers")),
                ("system", models.ForeignKey("desk.system", PROTECT, related_name="answers")),
                ("prompt", models.TextField()),
                ("text", models.TextField()),
                ("submitted_by", models.ForeignKey("desk.account", PROTECT, related_name="answers")),
            ],
        ),
        migrations.CreateModel(
            name="Verdict",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("answer", models.ForeignKey("desk.answer", PROTECT, related_name="verdicts")),
                ("validator", models.CharField(max_length=300)),
                ("judges", models.CharField(blank=True, max_length=300)),
                ("outcome", models.CharField(choices=Outcome.choices, max_length=20)),
                ("probability", models.FloatField(blank=True, null=True)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("dollars", models.FloatField(default=0)),
                ("trace", models.JSONField(default=list)),
                ("decided_at", models.DateTimeField(db_index=True, default=now)),
                ("ordered_by", models.ForeignKey("desk.account", PROTECT, blank=True, null=True, related_name="+")),
            ],
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                *WRITTEN,
                ("answer", models.ForeignKey("desk.answer", PROTECT, related_name="reviews")),
                ("reviewer", models.ForeignKey("desk.account", PROTECT, related_name="reviews")),
                ("kind", models.CharField(choices=Kind.choices, default="human", max_length=10)),
                ("system", models.ForeignKey("desk.system", PROTECT, blank=True, null=True)),
                ("correct", models.CharField(choices=Correct.choices, max_length=10)),
                (
                    "confidence",
                    models.PositiveSmallIntegerField(validators=[MinValueValidator(1), MaxValueValidator(5)]),
                ),
                ("text", models.TextField()),
                ("conflict", models.BooleanField(default=False)),
                ("conflict_text", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "human"), ("withdrawn_at", None)),
                        fields=("answer", "reviewer"),
                        name="one_standing_review",
                    ),
                    models.CheckConstraint(condition=models.Q(("confidence__range", (1, 5))), name="confidence_1_to_5"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                *WRITTEN,
                ("question", models.ForeignKey("desk.question", PROTECT, related_name="remarks")),
                ("review", models.ForeignKey("desk.review", PROTECT, blank=True, null=True, related_name="remarks")),
                ("author", models.ForeignKey("desk.account", PROTECT, related_name="remarks")),
                ("text", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="Vote",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("question", models.ForeignKey("desk.question", PROTECT, related_name="ballots")),
                ("voter", models.ForeignKey("desk.account", PROTECT, related_name="ballots")),
                ("value", models.SmallIntegerField()),
                ("cast_at", models.DateTimeField(default=now)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("question", "voter"), name="one_vote")]},
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("kind", models.CharField(choices=Ticket.Kinds.choices, max_length=20)),
                ("by", models.ForeignKey("desk.account", PROTECT, related_name="tickets")),
                ("text", models.TextField(blank=True, max_length=20000)),
                ("details", models.JSONField(default=dict)),
                ("sent_at", models.DateTimeField(default=now)),
                ("accepted", models.BooleanField(blank=True, null=True)),
                ("decided_by", models.ForeignKey("desk.account", PROTECT, blank=True, null=True, related_name="+")),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("reason", models.TextField(blank=True, max_length=2000)),
            ],
        ),
        migrations.CreateModel(
            name="Act",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("actor", models.ForeignKey("desk.account", PROTECT, blank=True, null=True, related_name="acts")),
                ("verb", models.CharField(db_index=True, max_length=40)),
                ("table", models.CharField(max_length=40)),
                ("key", models.CharField(db_index=True, max_length=80)),
                ("reason", models.TextField(blank=True)),
                ("before", models.JSONField(default=dict)),
                ("at", models.DateTimeField(db_index=True, default=now)),
            ],
        ),
        migrations.CreateModel(
            name="Use",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("who", models.CharField(max_length=80, unique=True)),
                ("count", models.PositiveIntegerField(default=0)),
                ("until", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("protocol", models.CharField(max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("organizer", models.ForeignKey("desk.account", PROTECT, related_name="rounds")),
                ("people", models.JSONField(default=dict)),
                ("settings", models.JSONField(default=dict)),
                ("opened_at", models.DateTimeField(default=now)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("round", models.ForeignKey("desk.round", PROTECT, related_name="cases")),
                ("place", models.PositiveIntegerField()),
                ("author", models.ForeignKey("desk.account", PROTECT, blank=True, null=True, related_name="+")),
                ("material", models.JSONField(default=dict)),
                ("evidence", models.JSONField(default=dict)),
                ("state", models.CharField(blank=True, max_length=40)),
                ("added_at", models.DateTimeField(default=now)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("round", "place"), name="one_place")]},
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("case", models.ForeignKey("desk.case", PROTECT, related_name="seats")),
                ("account", models.ForeignKey("desk.account", PROTECT, related_name="seats")),
                ("part", models.CharField(max_length=40)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("case", "account"), name="one_seat")]},
        ),
        migrations.CreateModel(
            name="Ballot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("case", models.ForeignKey("desk.case", PROTECT, related_name="cast")),
                ("number", models.PositiveIntegerField()),
                ("by", models.ForeignKey("desk.account", PROTECT, related_name="cast")),
                ("part", models.CharField(max_length=40)),
                ("move", models.CharField(max_length=40)),
                ("form", models.JSONField(default=dict)),
                ("cast_at", models.DateTimeField(default=now)),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("case", "number"), name="one_number")]},
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(default=new_key, max_length=80, unique=True)),
                ("ordered_by", models.ForeignKey("desk.account", PROTECT, related_name="jobs")),
                ("validator", models.CharField(max_length=300)),
                ("judges", models.JSONField(default=list)),
                ("temperature", models.FloatField(default=0)),
                ("state", models.CharField(default="planned", max_length=20)),
                ("message", models.TextField(blank=True)),
                ("most_calls", models.PositiveIntegerField(default=0)),
                ("most_dollars", models.FloatField(blank=True, null=True)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("dollars", models.FloatField(default=0)),
                ("judged", models.JSONField(default=list)),
                ("beat_at", models.DateTimeField(blank=True, null=True)),
                ("planned_at", models.DateTimeField(default=now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("answers", models.ManyToManyField(related_name="jobs", to="desk.answer")),
            ],
        ),
    ]
