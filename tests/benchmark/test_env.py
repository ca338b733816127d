from __future__ import annotations

import runpy
import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchmark.database import from_url
from benchmark.env import env_bool, env_hosts, env_int, env_list, env_secret, env_url


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False), ("", True)])
def test_a_switch_reads_the_usual_words(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("SWITCH", text)
    assert env_bool("SWITCH", True) is value


def test_a_switch_refuses_anything_else_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCH", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="SWITCH is 'perhaps', which is neither true nor false"):
        env_bool("SWITCH", True)


@pytest.mark.parametrize("text", ["3 GB", "1.5", "-1"])
def test_a_number_that_makes_no_sense_stops_the_start(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NUMBER", text)
    with pytest.raises(ImproperlyConfigured, match=r"^NUMBER is"):
        env_int("NUMBER", 5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("VECBOARD_SUITE", "nope"),
        ("VECBOARD_OFFLINE", "perhaps"),
        ("LOG_LEVEL", "FOO"),
        ("REDIS_URL", "foo"),
        ("SITE_URL", "vecboard.example"),
        ("VECBOARD_S3_ENDPOINT", "minio:9000"),
        ("VECBOARD_S3_BROWSER_ENDPOINT", "https://"),
        ("SENTRY_DSN", "nothing"),
        ("VECBOARD_FETCH_HOSTS", "https://files.example.org"),
        ("VECBOARD_FETCH_HOSTS", "files.example.org:0"),
        ("VECBOARD_FETCH_HOSTS", "files.example.org:70000"),
        ("VECBOARD_FETCH_HOSTS", "127.0.0.1"),
        ("VECBOARD_FETCH_HOSTS", "[::1]:443"),
        ("VECBOARD_FETCH_HOSTS", "localhost"),
        ("VECBOARD_FETCH_HOSTS", "*.example.org"),
    ],
)
def test_a_setting_that_makes_no_sense_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    monkeypatch.setenv("VECBOARD_VAR", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=rf"^{name} is "):
        runpy.run_path("benchmark/settings.py")


def test_hosts_are_names_with_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTS", " Files.example.org, other.example.org:8443,")
    assert env_hosts("HOSTS") == (("files.example.org", 443), ("other.example.org", 8443))
    monkeypatch.setenv("HOSTS", "")
    assert env_hosts("HOSTS") == ()


@pytest.mark.parametrize("text", ["redis://queue.example:6379/0", "rediss://:secret@queue.example", ""])
def test_an_address_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("QUEUE", text)
    assert env_url("QUEUE", ("redis", "rediss")) == text


@pytest.mark.parametrize("text", ["http://:secret@queue", "redis://:secret@queue:no", "redis://"])
def test_a_wrong_address_is_reported_without_the_password_in_it(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("QUEUE", text)
    with pytest.raises(
        ImproperlyConfigured, match="QUEUE is not a valid URL: it must start with redis:// or rediss://"
    ) as raised:
        env_url("QUEUE", ("redis", "rediss"))
    assert "secret" not in str(raised.value)


def test_a_list_is_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTS", "a.example, b.example,")
    assert env_list("HOSTS", []) == ["a.example", "b.example"]


def test_a_secret_is_generated_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "var" / "key"
    first = env_secret("NO_SUCH_SECRET", generated_in=path)
    assert first == env_secret("NO_SUCH_SECRET", generated_in=path)
    assert len(first) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_short_secret_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KEY", "short")
    with pytest.raises(ImproperlyConfigured, match="at least 24"):
        env_secret("KEY", generated_in=tmp_path / "key")


def test_a_postgresql_url_is_taken_apart() -> None:
    made = from_url("postgresql://me:p%40ss@db.example:5433/board?sslmode=require")
    assert (made["NAME"], made["USER"], made["PASSWORD"], made["HOST"], made["PORT"]) == (
        "board", "me", "p@ss", "db.example", "5433",
    )  # fmt: skip
    assert made["OPTIONS"] == {"sslmode": "require"}


@pytest.mark.parametrize("url", ["mysql://host/name", "postgresql://host/", "postgresql://host:port/name"])
def test_another_database_url_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL"):
        from_url(url)
