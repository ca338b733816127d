"""An HTTP client for URLs from strangers: public addresses only, and a time limit for each file.

A name is resolved once. All its addresses must be public; the socket connects to one of them, and its other end is
checked again before a byte is sent, which defeats DNS rebinding. Proxies in the environment are ignored, because they
would resolve the name themselves.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from urllib.parse import urljoin

import httpcore
import httpx

from tasks.errors import InputError

MOST_ADDRESSES = 4
"""Number of a host's addresses that are tried."""
MOST_HEAD_BYTES = 1 << 18
"""Limit of everything before a body, including interim answers."""
_NAT64, _LOCAL_NAT64 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48")
_SPECIAL = [
    ipaddress.ip_network(block)
    for block in ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "5f00::/16", "100:0:0:1::/64")
]
"""Of IANA's registries of special-purpose addresses, those that some versions of Python count as global."""
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
SocketOptions = Iterable[
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
]  # as httpcore declares them


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet, and so does the IPv4 address inside it, if there is one."""
    ip: _Address | None = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inside = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inside = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        ip = inside or (None if ip.teredo or ip.is_site_local or ip in _LOCAL_NAT64 else ip)
    if ip is None or any(ip in block for block in _SPECIAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


@dataclass
class FetchPace:
    """Time limits of one fetch, over all its connections.

    Parameters
    ----------
    seconds : for the whole fetch.
    silence : seconds without a byte after which a connection is broken.
    least : bytes a second, counted once that silence is used up.
    """

    seconds: float
    silence: float
    least: float
    _ends: float = field(init=False)
    _begun: float = field(init=False)
    _received: int = field(init=False, default=0)
    _is_head: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        self._begun = time.monotonic()
        self._ends = self._begun + self.seconds

    def connect(self) -> None:
        """Start counting for a new connection."""
        self._begun, self._received, self._is_head = time.monotonic(), 0, True

    def begin_body(self) -> None:
        """Note that the head of the answer is complete."""
        self._is_head = False

    def receive(self, count: int) -> None:
        """Count bytes that have arrived."""
        self._received += count

    def patience(self) -> float:
        """Seconds to wait for a sign of the server.

        Raises
        ------
        InputError
            the time for the whole file is over.
        """
        left = self._ends - time.monotonic()
        if left <= 0:
            message = f"The file did not arrive within {self.seconds:,.0f} seconds, the limit on this site."
            raise InputError("fetch-too-slow", f"{message} Download it, then send it.", field="url")
        return min(self.silence, left)

    def wait(self) -> float:
        """Seconds to wait for the next byte.

        Raises
        ------
        InputError
            the server is too slow, its head has no end, or the time for the whole file is over.
        """
        if time.monotonic() > self._begun + self.silence + self._received / self.least:
            message = f"The server sends fewer than {self.least:,.0f} bytes a second."
            raise InputError("fetch-too-slow", f"{message} Download the file, then send it.", field="url")
        if self._is_head and self._received > MOST_HEAD_BYTES:
            message = "The server does not answer with a file: its headers have no end."
            raise InputError("bad-answer", message, field="url")
        return self.patience()


def public_client(pace: FetchPace, check: Callable[[str], object]) -> httpx.Client:
    """A client for one file.

    Parameters
    ----------
    check : gets each URL before it is asked for; raises InputError for one that is not allowed.

    Raises
    ------
    InputError
        from its requests: a URL or an address that is not allowed, an invalid certificate, or a slow server.
    httpx.TransportError
        from its requests: the server does not answer, or breaks off.
    """
    return httpx.Client(
        transport=_PublicTransport(pace, check),
        timeout=pace.silence,
        headers={"User-Agent": "vecboard", "Connection": "close"},
    )


class _PublicTransport(httpx.HTTPTransport):
    """Checks every URL, those of redirects too, and connects through :class:`_PublicNetwork`."""

    def __init__(self, pace: FetchPace, check: Callable[[str], object]) -> None:
        super().__init__(trust_env=False)
        self._pace, self._check = pace, check
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl.create_default_context(), network_backend=_PublicNetwork(pace), keepalive_expiry=0
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._check(str(request.url))
        answer = super().handle_request(request)
        self._pace.begin_body()
        if answer.has_redirect_location:  # checked here, as the client takes an unreadable one for a broken connection
            try:
                self._check(urljoin(str(request.url), answer.headers["Location"]))
            except (InputError, ValueError) as error:
                answer.close()
                why = error.message if isinstance(error, InputError) else "Its address cannot be read."
                message = f"{request.url.host} redirects to another place. {why}"
                raise InputError("redirect-refused", message, field="url") from None
        return answer


class _PublicNetwork(httpcore.NetworkBackend):
    """TCP to public addresses, at the pace of one fetch."""

    def __init__(self, pace: FetchPace) -> None:
        self._pace, self._tcp = pace, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.NetworkStream:
        self._pace.connect()
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        addresses = [str(where[0]) for *_, where in infos]
        for address in addresses:
            _require_public(host, address)
        problem: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses[:MOST_ADDRESSES]:
            try:
                stream = self._tcp.connect_tcp(address, port, self._pace.patience(), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                problem = error
                continue
            try:
                _require_public(host, str(stream.get_extra_info("server_addr")[0]))
            except BaseException:
                stream.close()
                raise
            return _PacedStream(stream, host, self._pace)
        raise problem


class _PacedStream(httpcore.NetworkStream):
    """A connection whose bytes, of heads and bodies alike, are counted."""

    def __init__(self, stream: httpcore.NetworkStream, host: str, pace: FetchPace) -> None:
        self._stream, self._host, self._pace = stream, host, pace

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        received = self._stream.read(max_bytes, self._pace.wait())
        self._pace.receive(len(received))
        return received

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._pace.patience())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        try:
            secure = self._stream.start_tls(ssl_context, server_hostname, self._pace.patience())
        except httpcore.ConnectError as error:
            if isinstance(error.__cause__, ssl.SSLCertVerificationError):
                why = error.__cause__.verify_message.rstrip(".")
                message = f"The certificate of {self._host} is not valid: {why}."
                raise InputError("bad-certificate", message, field="url") from None
            raise
        # Without a stated size, a file ends with the connection; one that was cut off must not pass for complete.
        secure.get_extra_info("socket").suppress_ragged_eofs = False
        return _PacedStream(secure, self._host, self._pace)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _require_public(host: str, address: str) -> None:
    if not is_public(address):
        message = f"{host} is not at a public address; this site fetches files from the public internet only."
        raise InputError("address-not-public", message, field="url")
