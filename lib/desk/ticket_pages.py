"""Pages of what accounts ask of the moderators, and of the moderators' queue.

/ask/reviewer/, /ask/report/?page=, /ask/question/    the three forms
/moderation/queue/                                    what is undecided, and what was decided last
/moderation/queue/<key>/                              accept or decline, with a reason
"""

from django.urls import path, reverse
from django.views.generic import ListView
from django.views.generic.detail import SingleObjectMixin

from desk import tickets
from desk.forms import DecisionForm, ProposalForm, ReportForm, ReviewerForm
from desk.models import Ticket
from desk.trail import NotAllowed
from desk.writing import FormPage, signed_in


class Ask(FormPage):
    kind = ""
    done = "A moderator will decide. The answer will stand on your page."

    def get_initial(self) -> dict:
        me = self.request.user
        return {"page": self.request.GET.get("page", ""), "expertise": me.expertise}

    def act(self, **fields) -> Ticket:
        return tickets.send(self.request.user, self.kind, **fields)

    def get_success_url(self) -> str:
        return reverse("account", args=[self.request.user.username])


class Moderators:
    """For moderators alone."""

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        if not request.user.may_moderate():
            raise NotAllowed("Only moderators may see this page.")


class Queue(Moderators, ListView):
    template_name, context_object_name = "desk/queue.html", "undecided"
    queryset = Ticket.objects.filter(decided_at=None).select_related("by").order_by("pk")

    def get_context_data(self, **more) -> dict:
        decided = Ticket.objects.exclude(decided_at=None).select_related("by", "decided_by").order_by("-decided_at")
        return super().get_context_data(decided=decided[:20], **more)


class Decide(Moderators, SingleObjectMixin, FormPage):
    form_class, done = DecisionForm, "Decided."
    queryset = Ticket.objects.select_related("by", "decided_by")
    slug_field = slug_url_kwarg = "key"

    def dispatch(self, request, *args, **kwargs):
        self.object = self.get_object()
        return super().dispatch(request, *args, **kwargs)

    def act(self, accept: bool, reason: str) -> Ticket:
        return tickets.decide(self.request.user, self.object, accept, reason)

    def get_context_data(self, **more) -> dict:
        told = dict(
            heading=f"{self.object.by.username} {self.object.get_kind_display()}",
            send="Decide",
            note="desk/ticket.html",
        )
        return super().get_context_data(back=self.get_success_url(), **told, **more)

    def get_success_url(self) -> str:
        return reverse("queue")


def _ask(kind: str, form_class: type, heading: str, send: str):
    return signed_in(Ask.as_view(kind=kind, form_class=form_class, extra_context=dict(heading=heading, send=send)))


ticket_urls = [
    path("ask/reviewer/", _ask("reviewer", ReviewerForm, "Become a reviewer", "Ask the moderators"), name="ask_role"),
    path("ask/report/", _ask("report", ReportForm, "Report a page", "Report it to the moderators"), name="report"),
    path("ask/question/", _ask("question", ProposalForm, "Propose a question", "Propose it"), name="propose"),
    path("moderation/queue/", signed_in(Queue.as_view()), name="queue"),
    path("moderation/queue/<str:key>/", signed_in(Decide.as_view()), name="decide"),
]
