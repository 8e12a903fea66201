"""What a web server calls: `gunicorn proctor.platform.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "proctor.platform.settings")
application = get_wsgi_application()
