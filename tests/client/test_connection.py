from __future__ import annotations

import pytest

from tests.servers import free_port
from vecboard import Client, Exit, Keyring, Refused, Unreachable
from vecboard.connection import ServerConnection, server_address


def test_it_says_that_a_server_does_not_answer(keyring: Keyring) -> None:
    nobody = Client(f"http://127.0.0.1:{free_port()}", keyring=keyring, patience=0.5)
    with nobody, pytest.raises(Unreachable, match="does not answer"):
        nobody.board()


def test_a_timeout_of_nothing_waits_for_no_server(keyring: Keyring) -> None:
    with Client(f"http://127.0.0.1:{free_port()}", keyring=keyring) as nobody, pytest.raises(Unreachable):
        nobody.wait("abcdefghijkl", 0)


@pytest.mark.parametrize(("status", "ends"), [(400, Exit.REFUSED), (429, Exit.UNREACHABLE), (503, Exit.UNREACHABLE)])
def test_what_may_succeed_later_is_distinguished_from_what_never_will(status: int, ends: Exit) -> None:
    assert Refused("No.", status=status).exit == ends


def test_it_never_sends_a_token_where_others_could_read_it(keyring: Keyring) -> None:
    with Client("http://vecboard.example", "vec_secret", keyring) as client, pytest.raises(Refused, match="https"):
        client.status("abcdefghijkl")


def test_it_refuses_an_address_that_is_none() -> None:
    with pytest.raises(Refused, match="write it like"):
        server_address("vecboard.example")


def test_it_takes_the_server_from_the_environment_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_URL", "https://one.example/")
    assert server_address() == "https://one.example"
    assert server_address("https://two.example") == "https://two.example"


def test_it_passes_on_the_sentence_of_the_server(server: str) -> None:
    connection = ServerConnection(server)
    with pytest.raises(Refused, match="There is no such submission") as refused:
        connection.get("/submissions/abcdefghijkl")
    assert (refused.value.status, refused.value.code) == (404, "not-found")
    connection.close()
