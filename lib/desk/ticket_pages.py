"""Pages of what accounts ask of the moderators, and of the moderators' queue.

/ask/reviewer/, /ask/report/?page=, /ask/question/    the three forms
/moderation/queue/                                    what is undecided, and what was decided last
/moderation/queue/<key>/                              accept or decline, with a reason
"""

from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.generic import ListView

from desk import tickets
from desk.form_pages import FormPage, Moderators, signed_in
from desk.forms import DecisionForm, ProposalForm, ReportForm, ReviewerForm
from desk.models import Account, Ticket


class Ask(FormPage):
    kind = ""
    done = "A moderator will decide. The answer will stand on your page."

    def get_initial(self) -> dict:
        return {"page": self.request.GET.get("page", ""), "expertise": self.request.user.expertise}

    def act(self, **fields) -> Account:
        return tickets.send(self.request.user, self.kind, **fields).by


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
        return tickets.decide(self.request.user, self.ticket, accept, reason)

    def onwards(self, made: Ticket) -> str:
        return reverse("queue")


def _ask(kind: str, form_class: type, heading: str, send: str):
    return Ask.as_view(kind=kind, form_class=form_class, heading=heading, send=send)


ticket_urls = [
    path("ask/reviewer/", _ask("reviewer", ReviewerForm, "Become a reviewer", "Ask the moderators"), name="ask_role"),
    path("ask/report/", _ask("report", ReportForm, "Report a page", "Report it to the moderators"), name="report"),
    path("ask/question/", _ask("question", ProposalForm, "Propose a question", "Propose it"), name="propose"),
    path("moderation/queue/", signed_in(Queue.as_view()), name="queue"),
    path("moderation/queue/<str:key>/", Decide.as_view(), name="decide"),
]
