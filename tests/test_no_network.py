"""The guard against network use in tests: see conftest.py."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "a-name-that-is-looked-up.invalid"])
def test_connections_to_other_machines_fail_and_are_recorded(host: str, no_network: list[str]) -> None:
    with pytest.raises(OSError, match="asked for the network"):
        socket.create_connection((host, 9), timeout=1)
    assert no_network.pop()


def test_this_machine_can_be_reached_by_name_and_by_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        for host in ("localhost", "127.0.0.1", "::ffff:127.0.0.1"):
            socket.create_connection((host, server.getsockname()[1]), timeout=60).close()
