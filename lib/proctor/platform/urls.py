"""The desk's addresses. Pages stand at the root, the JSON API under api/, Django's admin under admin/."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from proctor.platform.api import api_urls
from proctor.platform.feeds import feed_urls
from proctor.platform.job_pages import job_urls
from proctor.platform.overview_pages import overview_urls
from proctor.platform.pages import pages_urls
from proctor.platform.round_pages import round_urls
from proctor.platform.writing import writing_urls

urlpatterns = [
    *pages_urls,
    *writing_urls,
    *feed_urls,
    *api_urls,
    *overview_urls,
    *round_urls,
    *job_urls,
    path("admin/login/", RedirectView.as_view(pattern_name="sign_in", query_string=True)),  # which counts the tries
    path("admin/", admin.site.urls),
]
handler400 = "proctor.platform.security.bad_request"
handler403 = "proctor.platform.security.forbidden"
handler404 = "proctor.platform.security.not_found"
handler500 = "proctor.platform.security.failed"
