"""Limits on requests, named by what they protect.

Addresses are never stored: the cache has keyed hashes of them, for an hour at most.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from benchmark.operations.counting import Limit, client_address, network_of

NEW_STUDIES = Limit("new-studies", 20, 3600)  # twenty an hour from one address
NEW_SESSIONS = Limit("new-sessions", 600, 3600)  # six hundred an hour from one address: a full lecture hall twice
ERASURES = Limit("erasures", 30, 3600)  # thirty an hour: too few to guess an id of 60 bits
ANSWERS = Limit("answers", 120, 60)  # two a second in one session: no person answers faster
SIMULATIONS = Limit("simulations", 60, 3600)  # sixty an hour from one address: each costs a second or two
IMPORTS = Limit("imports", 60, 3600)  # sixty files an hour in one study
SENT_LETTERS = Limit("sent-letters", 40_000_000, 3600)  # forty million an hour from one address, as they are stored
GIVEN_LISTS = Limit("given-lists", 60, 3600)  # sixty an hour from one address: each is up to 200 kB, stored for months


def address_of(request: HttpRequest) -> str:
    """Keyed hash of the client's network."""
    return salted_hmac("people.limits", network_of(client_address(request))).hexdigest()[:32]
