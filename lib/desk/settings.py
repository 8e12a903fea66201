"""Django's settings of the desk, from the environment.

PROCTOR_DESK         the desk's folder: database, secret, exports (default build/desk of the checkout)
PROCTOR_DESK_DB      a database's URL, postgresql://user@host/name; without it SQLite in the folder
PROCTOR_DESK_HOSTS   names under which it is served, separated by commas (default: this machine alone); the first one
                     stands in mails
PROCTOR_DESK_MAIL    smtp://user:password@host:587 for mails; without it they are printed, and go nowhere
PROCTOR_DESK_HTTPS   1 where a proxy in front speaks HTTPS: cookies then travel on HTTPS alone
"""

import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from proctor.files import write_atomic
from proctor.paths import ROOT

FOLDER = Path(os.environ.get("PROCTOR_DESK") or ROOT / "build" / "desk")


def _secret() -> str:
    """The key that signs sessions: made once, kept in the desk's folder, readable by its owner alone."""
    path = FOLDER / "secret"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        FOLDER.chmod(0o700)  # votes, drafts and sessions are for who keeps the desk alone
        write_atomic(path, secrets.token_urlsafe(50))
        path.chmod(0o600)
    return path.read_text()


def database(url: str) -> dict:
    """Django's setting for a database's URL; "" is SQLite in the desk's folder."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": FOLDER / "desk.sqlite3",
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",  # a writer waits for its turn; it never fails half way
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
        }
    scheme = url.partition("://")[0]
    if scheme not in ("postgresql", "postgres"):
        raise ValueError(f"PROCTOR_DESK_DB: '{scheme}://...' is no database of the desk; give postgresql://...")
    from psycopg.conninfo import conninfo_to_dict

    told = conninfo_to_dict(url)
    name = told.pop("dbname", "")
    engine = "django.db.backends.postgresql"
    return dict(ENGINE=engine, NAME=name, OPTIONS=told, CONN_HEALTH_CHECKS=True, CONN_MAX_AGE=60)


def mail(url: str) -> dict:
    """Django's settings for mails; "" prints them."""
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ValueError("PROCTOR_DESK_MAIL: give smtp://user:password@host:587, or smtps:// where TLS begins at once")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_TIMEOUT": 10,
    }


SECRET_KEY = _secret()
DEBUG = False
HTTPS = os.environ.get("PROCTOR_DESK_HTTPS") == "1"
HOSTS = [name.strip() for name in os.environ.get("PROCTOR_DESK_HOSTS", "").split(",") if name.strip()]
ALLOWED_HOSTS = [*HOSTS, "localhost", "127.0.0.1", "[::1]"]
HOME = f"http{'s' * HTTPS}://{HOSTS[0] if HOSTS else 'localhost:8000'}"  # of links in mails
globals().update(mail(os.environ.get("PROCTOR_DESK_MAIL", "")))
DEFAULT_FROM_EMAIL = f"Review desk <desk@{HOSTS[0] if HOSTS else 'localhost'}>"
DATABASES = {"default": database(os.environ.get("PROCTOR_DESK_DB", ""))}
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "desk.apps.Desk",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "desk.security.Guard",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
LOGGING = {  # what fails stands in the server's own log
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"django.request": {"handlers": ["stderr"], "level": "ERROR"}},
}
ROOT_URLCONF = "desk.urls"
WSGI_APPLICATION = "desk.wsgi.application"
AUTH_USER_MODEL = "desk.Account"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "sign_in", "questions", "questions"
USE_TZ, TIME_ZONE = True, "UTC"
STATIC_URL, WHITENOISE_USE_FINDERS = "static/", True  # served from where the program lies
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
SESSION_COOKIE_AGE = 14 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CSRF_FAILURE_VIEW = "desk.security.not_from_here"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_000_000  # bytes of a form
DATA_UPLOAD_MAX_NUMBER_FILES = 0
