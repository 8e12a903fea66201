"""The desk's addresses: what a browser reads, what it sends, the JSON API, Django's admin."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.generic import RedirectView, TemplateView

from desk import account_pages, feeds, jobs, overview, pages, round_pages, writing
from desk.account_pages import Ask
from desk.api import api_urls
from desk.form_pages import signed_in

QUESTION = "q/<str:site>/<str:number>/"
ROUND = "rounds/<str:key>/"
urlpatterns = [
    path("", pages.questions, name="questions"),
    path(QUESTION, pages.question, name="question"),
    path(f"{QUESTION}raw.md", pages.question_markdown, name="question_markdown"),
    path(f"{QUESTION}feed.atom", feeds.feed, name="question_feed"),
    path(f"{QUESTION}answer/", writing.Submit.as_view(), name="submit"),
    path(f"{QUESTION}comment/", writing.CommentOn.as_view(), name="comment"),
    path(f"{QUESTION}vote/", writing.vote, name="vote"),
    path("a/<str:key>/", pages.answer, name="answer"),
    path("a/<str:key>/review/", writing.WriteReview.as_view(), name="review"),
    path("r/<str:key>/comment/", writing.Discuss.as_view(), name="discuss"),
    path("edit/<str:table>/<str:key>/", writing.Edit.as_view(), name="edit"),
    path("withdraw/<str:table>/<str:key>/", writing.TakeBack.as_view(verb="withdraw"), name="withdraw"),
    path("restore/<str:table>/<str:key>/", writing.TakeBack.as_view(verb="restore"), name="restore"),
    path("history/<str:table>/<path:key>/", pages.history, name="history"),
    path("people/<str:username>/", pages.account, name="account"),
    path("overview/", overview.page, name="overview"),
    path("feed.atom", feeds.feed, name="feed"),
    path("about/", pages.about, name="about"),
    path("terms/", TemplateView.as_view(template_name="desk/terms.html"), name="terms"),
    path("privacy/", TemplateView.as_view(template_name="desk/privacy.html"), name="privacy"),
    # one's own account
    path("sign-in/", account_pages.SignIn.as_view(), name="sign_in"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("sign-up/", account_pages.SignUp.as_view(), name="sign_up"),
    path("me/", account_pages.Profile.as_view(), name="profile"),
    path("me/password/", signed_in(account_pages.Change.as_view()), name="password"),
    path("me/tokens/", never_cache(account_pages.Tokens.as_view()), name="tokens"),
    path("me/tokens/<int:number>/", account_pages.revoke, name="revoke"),
    path("forgotten/", account_pages.Forgotten.as_view(), name="forgotten"),
    path("forgotten/<uidb64>/<token>/", account_pages.Reset.as_view(), name="password_reset_confirm"),
    path("mail/<path:signed>/", account_pages.MailLink.as_view(), name="mail_link"),
    # moderators, and what is asked of them
    path("ask/reviewer/", Ask.as_view(), dict(kind="reviewer"), name="ask_role"),
    path("ask/report/", Ask.as_view(), dict(kind="report"), name="report"),
    path("ask/question/", Ask.as_view(), dict(kind="question"), name="propose"),
    path("moderation/", writing.moderation, name="moderation"),
    path("moderation/people/<str:username>/", writing.Moderate.as_view(), name="moderate"),
    path("moderation/queue/", signed_in(account_pages.Queue.as_view()), name="queue"),
    path("moderation/queue/<str:key>/", account_pages.Decide.as_view(), name="decide"),
    # rounds of review, and runs of validators
    path("rounds/", round_pages.all_rounds, name="rounds"),
    path("rounds/new/<str:protocol>/", round_pages.OpenRound.as_view(), name="round_new"),
    path(ROUND, never_cache(round_pages.OneRound.as_view()), name="round"),
    path(f"{ROUND}table.csv", round_pages.table_csv, name="round_table"),
    path(f"{ROUND}close/", round_pages.CloseRound.as_view(), name="round_close"),
    path(f"{ROUND}<int:place>/", round_pages.one_case, name="case"),
    path(f"{ROUND}<int:place>/<str:move>/", round_pages.one_case, name="case_move"),
    path("jobs/", jobs.all_jobs, name="jobs"),
    path("jobs/new/", jobs.NewJob.as_view(), name="job_new"),
    path("jobs/<str:key>/", jobs.one_job, name="job"),
    path("jobs/<str:key>/start/", jobs.change, dict(what="start"), name="job_start"),
    path("jobs/<str:key>/stop/", jobs.change, dict(what="stop"), name="job_stop"),
    *api_urls,
    path("admin/login/", RedirectView.as_view(pattern_name="sign_in", query_string=True)),  # which counts the tries
    path("admin/", admin.site.urls),
]
handler400 = "desk.security.bad_request"
handler403 = "desk.security.forbidden"
handler404 = "desk.security.not_found"
handler500 = "desk.security.failed"
