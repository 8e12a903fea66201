"""The desk's addresses. Pages stand at the root, the JSON API under api/, Django's admin under admin/."""

from django.contrib import admin
from django.urls import path

urlpatterns = [path("admin/", admin.site.urls)]
