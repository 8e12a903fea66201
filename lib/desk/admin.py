"""Django's admin, for looking only: all writes go through `acts`, which keep the audit trail."""

from django.contrib import admin

from desk import models


class Look(admin.ModelAdmin):
    list_per_page = 50

    def has_add_permission(self, request, obj=None):
        return False

    has_change_permission = has_delete_permission = has_add_permission


for model in (models.Question, models.System, models.Answer, models.Verdict, models.Review, models.Comment):
    admin.site.register(model, Look)


@admin.register(models.Account)
class LookAtAccount(Look):
    fields = ("username", "role", "affiliation", "about", "is_active", "date_joined", "last_login")
    list_display = ("username", "role", "is_active", "date_joined")


@admin.register(models.Act)
class LookAtActs(Look):
    def get_queryset(self, request):
        return super().get_queryset(request).exclude(verb="cast")  # rounds are blind
