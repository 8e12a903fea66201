"""The desk's addresses. Pages stand at the root, the JSON API under api/, Django's admin under admin/."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from desk.account_pages import account_urls
from desk.api import api_urls
from desk.feeds import feed_urls
from desk.jobs import job_urls
from desk.overview import overview_urls
from desk.pages import pages_urls
from desk.round_pages import round_urls
from desk.writing import writing_urls

urlpatterns = [
    *pages_urls,
    *writing_urls,
    *account_urls,
    *feed_urls,
    *api_urls,
    *overview_urls,
    *round_urls,
    *job_urls,
    path("admin/login/", RedirectView.as_view(pattern_name="sign_in", query_string=True)),  # which counts the tries
    path("admin/", admin.site.urls),
]
handler400 = "desk.security.bad_request"
handler403 = "desk.security.forbidden"
handler404 = "desk.security.not_found"
handler500 = "desk.security.failed"
