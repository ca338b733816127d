from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.benchmark.full_disk import room_for
from vecboard import Keyring, Refused

SERVER = "https://vecboard.example"


def test_it_keeps_a_token_in_a_file_that_only_its_owner_may_read(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path / "deep" / "keyring.json")
    keyring.keep_token(SERVER, "vec_secret")
    assert Keyring(keyring.path).token(SERVER) == "vec_secret"
    assert stat.S_IMODE(keyring.path.stat().st_mode) == 0o600


def test_it_refuses_a_file_that_others_may_read_and_says_how_to_mend_it(keyring: Keyring) -> None:
    keyring.keep_token(SERVER, "vec_secret")
    keyring.path.chmod(0o640)
    with pytest.raises(Refused, match="chmod 600"):
        keyring.token(SERVER)


def test_it_keeps_servers_apart(keyring: Keyring) -> None:
    keyring.keep_secret(SERVER, "abc", "one")
    assert keyring.secret("https://other.example", "abc") == ""
    assert keyring.secret(SERVER, "abc") == "one"


def test_it_forgets_one_server_and_no_other(keyring: Keyring) -> None:
    keyring.keep_token(SERVER, "one")
    keyring.keep_token("https://other.example", "two")
    keyring.forget(SERVER)
    assert (keyring.token(SERVER), keyring.token("https://other.example")) == ("", "two")


def test_a_full_disk_is_reported_and_leaves_the_file_as_it_was(keyring: Keyring) -> None:
    keyring.keep_token(SERVER, "one")
    with room_for(20), pytest.raises(Refused, match=rf"{keyring.path} cannot be written: .* Free some space"):
        keyring.keep_token(SERVER, "two")
    assert keyring.token(SERVER) == "one"
    assert {path.name for path in keyring.path.parent.iterdir()} == {"keyring.json", "keyring.lock"}


def test_it_refuses_a_damaged_file_instead_of_losing_what_was_in_it(keyring: Keyring) -> None:
    keyring.keep_token(SERVER, "one")
    keyring.path.write_text("{half")
    with pytest.raises(Refused, match="not valid JSON"):
        keyring.keep_token(SERVER, "two")
    assert keyring.path.read_text() == "{half"
