"""HTTPS connections for files that strangers name: to public addresses only, and never slower than allowed.

A name is looked up once. Every address that it has must be public; the socket is connected to one of these addresses,
and its other end is checked again before a byte is sent. So a name that means another machine a moment later
(DNS rebinding) leads nowhere. Proxies in the environment are ignored: they would look the name up themselves.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmark.submissions.listed_hosts import WebFile
from tasks.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_ADDRESSES = 4
"""At most this many of a host's addresses are tried."""
MOST_HEAD_BYTES = 1 << 18
"""Of what comes before a body, interim answers included."""
_NAT64, _OWN_NAT64 = ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48")
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def is_public(address: str) -> bool:
    """Whether an address belongs to the public internet, and so does the IPv4 address inside it, if there is one."""
    found: _Address | None = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inside = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inside = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        found = inside or (None if found.teredo or found.is_site_local or found in _OWN_NAT64 else found)
    return found is not None and found.is_global and not (found.is_multicast or found.is_reserved)


@dataclass
class FetchPace:
    """How long one fetch may take, over all its connections.

    Parameters
    ----------
    seconds : in all.
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
        """Count from here: a new connection."""
        self._begun, self._received, self._is_head = time.monotonic(), 0, True

    def begin_body(self) -> None:
        """The head of the answer is here."""
        self._is_head = False

    def receive(self, count: int) -> None:
        """Note bytes that arrived."""
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


class _PacedSocket(ssl.SSLSocket):
    """Every byte that is read, of heads and bodies alike, passes here."""

    pace: FetchPace | None = None

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        if self.pace is None:
            return super().recv_into(buffer, nbytes, flags)
        self.settimeout(self.pace.wait())
        count = super().recv_into(buffer, nbytes, flags)
        self.pace.receive(count)
        return count


class GuardedConnection(http.client.HTTPSConnection):
    """One connection to a listed host, for one request."""

    def __init__(self, file: WebFile, pace: FetchPace) -> None:
        super().__init__(file.host, file.port, timeout=pace.silence)
        self._pace = pace

    def connect(self) -> None:
        """
        Raises
        ------
        InputError
            an address of the host is not public, or its certificate is not valid for its name.
        OSError
            it does not answer.
        """
        self._pace.connect()
        plain = _connected(self.host, self.port, self._pace)
        try:
            # A file whose size is not said ends with the connection: one that is cut off must not pass for it.
            paced = _context().wrap_socket(plain, server_hostname=self.host, suppress_ragged_eofs=False)
        except ssl.SSLCertVerificationError as error:
            plain.close()
            message = f"The certificate of {self.host} is not valid: {error.verify_message.rstrip('.')}."
            raise InputError("bad-certificate", message, field="url") from None
        except BaseException:
            plain.close()
            raise
        assert isinstance(paced, _PacedSocket)
        paced.pace = self._pace
        self.sock = paced


def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.sslsocket_class = _PacedSocket
    return context


def _connected(host: str, port: int, pace: FetchPace) -> socket.socket:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for *_, where in found:
        _require_public(host, str(where[0]))
    problem = OSError(f"{host} has no address")
    for family, kind, protocol, _, where in found[:MOST_ADDRESSES]:
        plain = socket.socket(family, kind, protocol)
        try:
            plain.settimeout(pace.patience())
            plain.connect(where)
            _require_public(host, str(plain.getpeername()[0]))
        except OSError as error:
            plain.close()
            problem = error
        except BaseException:
            plain.close()
            raise
        else:
            return plain
    raise problem


def _require_public(host: str, address: str) -> None:
    if not is_public(address):
        message = f"{host} is not at a public address; this site fetches files from the public internet only."
        raise InputError("address-not-public", message, field="url")
