"""The desk's addresses. Pages stand at the root, the JSON API under api/, Django's admin under admin/."""

from django.contrib import admin
from django.urls import path

from proctor.platform.api import api_urls

urlpatterns = [*api_urls, path("admin/", admin.site.urls)]
