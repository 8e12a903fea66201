"""What a web server calls: `gunicorn desk.wsgi`. All pages are loaded here, not while the first readers wait."""

import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "desk.settings")
application = get_wsgi_application()
import_module("desk.urls")
