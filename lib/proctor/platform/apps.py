from django.apps import AppConfig


class Desk(AppConfig):
    """The desk as Django knows it: label `desk`, tables `desk_*`."""

    name = "proctor.platform"
    label = "desk"
    verbose_name = "Review desk"
    default_auto_field = "django.db.models.BigAutoField"
