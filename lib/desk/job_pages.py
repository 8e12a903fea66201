"""Pages of the jobs: order one, read its bill and confirm, watch its verdicts arrive.

/jobs/                all jobs
/jobs/new/            validator, judges and answers (?answer=, ?question= or all without a verdict)
/jobs/<key>/          the bill and the button that starts it; then its verdicts, anew every few seconds
"""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from desk import jobs
from desk.form_pages import FormPage, Moderators, signed_in
from desk.models import Answer, Job, Verdict
from desk.trail import NotAllowed, Refused

EVERY = 3  # seconds until a running job's page is loaded again


class Order(forms.Form):
    """What to run on which answers."""

    validator = forms.CharField(max_length=300, initial="(C x3|U)", help_text="In the notation, such as (C x3|U) or C")
    judges = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, help_text="They cost what their prices say")
    temperature = forms.FloatField(initial=0.7, min_value=0, max_value=2)
    answer = forms.CharField(required=False, widget=forms.HiddenInput)
    question = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.fields["judges"].choices = [(name, name) for name in jobs.judges()]


def wanted(answer: str, question: str) -> QuerySet[Answer]:
    """The standing answers of an answer's key or a question's; without both those that no validator has judged."""
    standing = Answer.objects.filter(withdrawn_at=None).select_related("question").order_by("pk")
    if answer:
        return standing.filter(key=answer)
    return standing.filter(question__key=question) if question else standing.filter(verdicts=None)


@require_safe
def all_jobs(request: HttpRequest) -> HttpResponse:
    every = Job.objects.annotate(total=Count("answers")).order_by("-pk")
    page = Paginator(every, 50).get_page(request.GET.get("page"))
    rows = [dict(job=job, state=jobs.STATES[jobs.state_of(job)], total=job.total) for job in page]
    return render(request, "desk/jobs.html", dict(rows=rows, page=page))


class NewJob(Moderators, FormPage):
    template_name, form_class = "desk/job_new.html", Order

    def get_initial(self) -> dict:
        return {name: self.request.GET.get(name, "") for name in ("answer", "question")}

    def get_context_data(self, **more) -> dict:
        told = super().get_context_data(**more)
        given = told["form"].data or self.get_initial()
        count = wanted(given.get("answer", ""), given.get("question", "")).count()
        return told | dict(count=count, judges=jobs.judges())

    def act(self, validator: str, judges: list[str], temperature: float, answer: str, question: str) -> Job:
        answers = list(wanted(answer, question)[: jobs.MOST_ANSWERS])
        return jobs.plan(self.request.user, validator, judges, answers, temperature)


@never_cache
@require_safe
def one_job(request: HttpRequest, key: str) -> HttpResponse:
    job = get_object_or_404(Job.objects.select_related("ordered_by"), key=key)
    state, answers = jobs.state_of(job), job.answers.count()
    found = Verdict.objects.filter(answer__key__in=job.judged, validator=job.validator, decided_at__gte=job.planned_at)
    found = found.select_related("answer__question", "answer__system").order_by("-decided_at")
    told = dict(
        job=job, state=state, says=jobs.STATES[state], total=answers, done=len(job.judged), verdicts=found[:200]
    )
    moderates = request.user.is_authenticated and request.user.may_moderate()
    told |= dict(moderates=moderates, dollars=jobs.dollars_left(), calls=jobs.calls_left())
    reply = render(request, "desk/job.html", told)
    if state == "running":
        reply["Refresh"] = str(EVERY)
    return reply


@require_POST
@signed_in
def change(request: HttpRequest, key: str, what: str) -> HttpResponse:
    job = get_object_or_404(Job, key=key)
    try:
        {"start": jobs.start, "stop": jobs.stop}[what](request.user, job)
    except (NotAllowed, Refused) as error:
        messages.error(request, str(error))
    return redirect("job", job.key)


job_urls = [
    path("jobs/", all_jobs, name="jobs"),
    path("jobs/new/", NewJob.as_view(), name="job_new"),
    path("jobs/<str:key>/", one_job, name="job"),
    path("jobs/<str:key>/start/", change, dict(what="start"), name="job_start"),
    path("jobs/<str:key>/stop/", change, dict(what="stop"), name="job_stop"),
]
