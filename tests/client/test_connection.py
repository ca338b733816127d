"""The client's connection and keyring."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx
import pytest

from tests.benchmark.full_disk import room_for
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
def test_temporary_failures_are_distinguished_from_permanent_ones(status: int, ends: Exit) -> None:
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


def test_a_question_is_repeated_while_a_worker_prepares_the_vectors(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        waits = len(sent) == 1
        return httpx.Response(202 if waits else 200, json={"preparing": "…"} if waits else {"entry": "a", "words": []})

    monkeypatch.setattr("time.sleep", lambda _: None)
    with Client("https://vecboard.example", keyring=keyring) as client:
        client._connection._http = httpx.Client(transport=httpx.MockTransport(answer), base_url=SERVER)
        assert client.neighbours("a", ["freedom", "equality"], 3)["entry"] == "a"
        client.compare("a", "b")
        client.associations(["a"], x=["king"], y=["queen"], a=["war"], b=["home"])
    assert [request.url.query.decode() for request in sent] == [
        *["words=freedom%2Cequality&top=3"] * 2,
        "e=a&e=b",
        "e=a&x=king&y=queen&a=war&b=home",
    ]


def test_a_question_without_an_answer_is_refused_by_a_real_site(server: str) -> None:
    with Client(server) as client:
        with pytest.raises(Refused, match="There is no such submission"):
            client.neighbours("abcdefghijkl", ["freedom"])
        with pytest.raises(Refused, match="Name 2 to 8 different entries"):
            client.compare("abcdefghijkl")
        with pytest.raises(Refused, match="did you mean “test”"):
            client.associations(["abcdefghijkl"], tes=["parties-morality"])


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


def test_it_refuses_a_damaged_file_instead_of_losing_its_content(keyring: Keyring) -> None:
    keyring.keep_token(SERVER, "one")
    keyring.path.write_text("{half")
    with pytest.raises(Refused, match="not valid JSON"):
        keyring.keep_token(SERVER, "two")
    assert keyring.path.read_text() == "{half"
