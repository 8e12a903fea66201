from django.apps import AppConfig
from django.db.models.signals import post_migrate


class Desk(AppConfig):
    """The desk as Django knows it: label `desk`, tables `desk_*`."""

    name = "desk"
    label = "desk"
    verbose_name = "Review desk"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from desk import search

        post_migrate.connect(search.install, sender=self)
