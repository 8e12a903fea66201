import runpy

import pytest
from desk import settings


def test_a_url_names_a_postgresql_database():
    told = settings.database("postgresql://ada:p%40ss@db.example:5433/desk")
    assert (told["NAME"], told["USER"], told["PASSWORD"], told["HOST"], told["PORT"]) == (
        "desk", "ada", "p@ss", "db.example", 5433,
    )  # fmt: skip


def test_another_database_is_refused_by_name():
    with pytest.raises(ValueError, match="mysql"):
        settings.database("mysql://host/desk")


def test_the_secret_is_made_once_and_the_folder_with_it_is_its_owners():
    path = settings.FOLDER / "secret"
    assert settings._secret() == settings.SECRET_KEY == path.read_text()
    assert (path.stat().st_mode | settings.FOLDER.stat().st_mode) & 0o077 == 0


def test_mail_goes_nowhere_unless_a_server_is_named():
    assert settings.mail("")["EMAIL_BACKEND"].endswith("console.EmailBackend")
    told = settings.mail("smtp://ada:p%40ss@mail.example")
    assert (told["EMAIL_HOST"], told["EMAIL_PORT"], told["EMAIL_HOST_PASSWORD"]) == ("mail.example", 587, "p@ss")
    assert told["EMAIL_USE_TLS"] and not told["EMAIL_USE_SSL"]
    with pytest.raises(ValueError, match="PROCTOR_DESK_MAIL"):
        settings.mail("mail.example")


def test_behind_https_links_in_mails_and_later_visits_use_it(monkeypatch):
    monkeypatch.setenv("PROCTOR_DESK_HTTPS", "1")
    monkeypatch.setenv("PROCTOR_DESK_HOSTS", "desk.example, other.example")
    told = runpy.run_path(settings.__file__)
    assert told["HOME"] == "https://desk.example" and told["SECURE_HSTS_SECONDS"] and told["SESSION_COOKIE_SECURE"]
    assert settings.HOME == "http://localhost:8000" and not settings.SECURE_HSTS_SECONDS
