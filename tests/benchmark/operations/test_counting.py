"""Visitors' addresses, and counts of their requests."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from time import time
from typing import Any

import pytest
from django.test import Client, RequestFactory
from time_machine import Traveller

from benchmark.accounts.forms import AccountAdapter
from benchmark.operations.counting import count, network_of, payer_of, visitor_address
from extensions.people.access import network_hash


def payer(address: str, **headers: str) -> str:
    return payer_of(RequestFactory().get("/", REMOTE_ADDR=address, headers=headers))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("::FFFF:c633:6407", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("unknown", "unknown"),
    ],
)
def test_one_visitor_is_an_ipv4_address_or_a_network_of_ipv6(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_listener_for_both_kinds_tells_two_ipv4_visitors_apart() -> None:
    """The system's notation for a visitor over IPv4."""
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        seen = []
        for address in ("127.0.0.1", "127.0.0.2"):
            with socket.socket() as visitor:
                visitor.bind((address, 0))
                visitor.connect(("127.0.0.1", listener.getsockname()[1]))
                accepted, peer = listener.accept()
                accepted.close()
                seen.append(peer[0])
    assert seen[0].startswith("::ffff:")
    assert [network_of(address) for address in seen] == ["127.0.0.1", "127.0.0.2"]
    assert len({payer(address) for address in seen}) == 2


LIMITS: list[Any] = [
    payer,
    lambda address: network_hash(RequestFactory().get("/", REMOTE_ADDR=address)),
    lambda address: AccountAdapter().get_client_ip(RequestFactory().get("/", REMOTE_ADDR=address)),
]


@pytest.mark.parametrize("counted", LIMITS, ids=["uploads", "studies", "sign-ins"])
def test_another_address_of_the_same_network_evades_no_limit(counted: Any) -> None:
    assert counted("2001:db8:1:2::1") == counted("2001:db8:1:2:ffff::2") != counted("2001:db8:1:3::1")
    assert counted("::ffff:198.51.100.7") == counted("198.51.100.7") != counted("::ffff:198.51.100.8")


@pytest.fixture
def behind_a_proxy(settings: Any) -> Iterator[None]:
    settings.VECBOARD_PROXIES, settings.BEHIND_TLS = 1, True
    settings.VECBOARD_PROXY_ADDRESSES = (ip_network("10.0.0.2"), ip_network("2001:db8:9::/64"))
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    return


@pytest.mark.usefixtures("behind_a_proxy")
def test_only_a_proxy_of_the_sites_own_names_the_visitor() -> None:
    for proxy in ("10.0.0.2", "::ffff:10.0.0.2", "2001:db8:9::7", ""):
        assert visitor_address(proxy, "203.0.113.5, 198.51.100.7") == "198.51.100.7"
    for stranger in ("10.0.0.3", "127.0.0.1", "::ffff:10.0.0.3"):
        assert visitor_address(stranger, "203.0.113.5, 198.51.100.7") == stranger
    assert len({payer("10.0.0.3", X_Forwarded_For=f"203.0.113.{nth}") for nth in range(9)}) == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("behind_a_proxy")
@pytest.mark.parametrize(("peer", "status"), [("10.0.0.2", 200), ("10.0.0.3", 301), ("127.0.0.1", 301)])
def test_only_a_proxy_of_the_sites_own_says_that_a_request_came_by_https(peer: str, status: int) -> None:
    answer = Client(REMOTE_ADDR=peer).get("/submit", headers={"X-Forwarded-Proto": "https"})
    assert answer.status_code == status


def test_without_proxies_forwarded_headers_are_ignored(settings: Any) -> None:
    settings.VECBOARD_PROXIES, settings.BEHIND_TLS = 0, False
    assert visitor_address("127.0.0.1", "203.0.113.5") == "127.0.0.1"


@pytest.fixture(autouse=True)
def files(settings: Any, tmp_path: Path) -> None:
    one = {"BACKEND": "benchmark.caches.JsonFileCache", "LOCATION": str(tmp_path)}
    settings.CACHES = settings.CACHES | {"default": one}


@pytest.mark.usefixtures("stopped_clock")
def test_every_use_of_a_window_counts_and_those_of_others_do_not() -> None:
    assert [count("a", 60) for _ in range(3)] == [1, 2, 3]
    assert count("b", 60) == 1


@pytest.mark.usefixtures("stopped_clock")
def test_simultaneous_uses_are_all_counted() -> None:
    assert [count("a", 60, more) for more in (0, 500, 0, 250)] == [0, 500, 500, 750]


def test_a_person_who_never_stops_gets_a_new_window_all_the_same(stopped_clock: Traveller) -> None:
    counted = []
    for _ in range(6):
        counted.append(count("a", 60))
        stopped_clock.shift(30)
    assert max(counted) == 2


@pytest.mark.usefixtures("stopped_clock")
def test_a_window_longer_than_the_caches_own_time_is_not_forgotten_in_between(tmp_path: Path) -> None:
    count("a", 3600)
    count("a", 3600)
    (kept,) = tmp_path.glob("*.djcache")
    assert float(kept.read_text().splitlines()[0]) - time() > 3600
