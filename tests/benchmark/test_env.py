from __future__ import annotations

import os
import runpy
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchmark.env import env_bool, env_hosts, env_int, env_list, env_secret, env_site, env_url, file_storage, from_url
from tests.benchmark.full_disk import room_for

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False), ("", True)])
def test_a_switch_reads_the_usual_words(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("SWITCH", text)
    assert env_bool("SWITCH", True) is value


def test_a_switch_refuses_anything_else_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCH", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="SWITCH is 'perhaps', which is neither true nor false"):
        env_bool("SWITCH", True)


@pytest.mark.parametrize("text", ["3 GB", "1.5", "-1"])
def test_an_invalid_number_stops_the_start(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
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
def test_an_invalid_setting_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    monkeypatch.setenv("VECBOARD_VAR", str(tmp_path))
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=rf"^{name} is "):
        runpy.run_path("benchmark/settings.py")


@pytest.mark.parametrize(
    ("text", "origin", "host"),
    [
        ("https://vecboard.example/", "https://vecboard.example", "vecboard.example"),
        ("https://Vecboard.example:8443", "https://vecboard.example:8443", "vecboard.example"),
        ("http://[::1]:8000", "http://[::1]:8000", "[::1]"),
    ],
)
def test_the_public_address_is_a_host_of_the_site_and_an_origin_of_forms(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, origin: str, host: str
) -> None:
    monkeypatch.setenv("VECBOARD_VAR", str(tmp_path))
    monkeypatch.setenv("SITE_URL", text)
    monkeypatch.setenv("ALLOWED_HOSTS", "10.0.0.7")
    settings = runpy.run_path("benchmark/settings.py")
    assert settings["SITE_URL"] == origin
    assert settings["ALLOWED_HOSTS"] == ["10.0.0.7", host]
    assert settings["CSRF_TRUSTED_ORIGINS"] == [origin]


@pytest.mark.parametrize("text", ["https://example.org/vectors", "https://example.org/?a", "https://me@example.org"])
def test_a_sub_path_is_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SITE_URL", text)
    with pytest.raises(ImproperlyConfigured, match=r"cannot run below a path.*give it a host name of its own"):
        env_site("SITE_URL")


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


@pytest.mark.parametrize("content", [b"", b"cut", b"x" * 23, bytes(67), b"\xff" * 67, b"two words that are quite long"])
def test_a_damaged_key_file_stops_the_start_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret-key"
    path.write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=rf"{path} is damaged: .* delete it"):
        env_secret("NO_SUCH_SECRET", generated_in=path)
    assert path.read_bytes() == content


def test_a_key_that_finds_the_disk_full_leaves_nothing_and_names_its_place(tmp_path: Path) -> None:
    path = tmp_path / "secret-key"
    with room_for(10), pytest.raises(ImproperlyConfigured, match=rf"cannot be kept in {path}: .* Free some space"):
        env_secret("NO_SUCH_SECRET", generated_in=path)
    assert list(tmp_path.iterdir()) == []
    assert len(env_secret("NO_SUCH_SECRET", generated_in=path)) >= 50


def test_a_key_outlasts_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, synced, fsync = tmp_path / "secret-key", [], os.fsync

    def note(handle: int) -> None:
        synced.append((Path(f"/proc/self/fd/{handle}").readlink().name, path.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", note)
    env_secret("NO_SUCH_SECRET", generated_in=path)
    assert synced == [(f"secret-key.{os.getpid()}", False), (tmp_path.name, True)]


@pytest.mark.parametrize("command", ["migrate", "check"])
def test_a_command_with_a_damaged_key_file_ends_with_a_sentence(tmp_path: Path, command: str) -> None:
    (tmp_path / "secret-key").touch()
    own = {"VECBOARD_VAR": str(tmp_path), "SECRET_KEY": ""}
    manage = [sys.executable, "manage.py", command]
    done = subprocess.run(manage, cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{tmp_path}/secret-key is damaged")
    assert "Traceback" not in done.stderr


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


@pytest.mark.parametrize("missing", ["boto3", "storages"])
def test_a_bucket_without_its_packages_is_refused_with_the_command_that_installs_them(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "S3Storage" in str(file_storage(tmp_path, "bucket", None, None)["BACKEND"])
    monkeypatch.setattr("benchmark.env.find_spec", lambda name: None if name == missing else name)
    with pytest.raises(ImproperlyConfigured, match=r"requirements-extras\.txt"):
        file_storage(tmp_path, "bucket", None, None)
