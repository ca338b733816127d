"""How often one may do what costs the site or a study something. Named by what they protect.

Addresses are needed for this and are never kept: the cache holds a keyed hash of one, for an hour at most.
"""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from benchmark.operations.counting import Limit, client_address, network_of

NEW_STUDIES = Limit("new-studies", 20, 3600)  # twenty an hour from one address
NEW_SESSIONS = Limit("new-sessions", 600, 3600)  # six hundred an hour from one address: a full lecture hall, twice
ERASURES = Limit("erasures", 30, 3600)  # thirty an hour: nobody finds an id of 60 bits by trying
ANSWERS = Limit("answers", 120, 60)  # two a second in one session: no person answers faster
SIMULATIONS = Limit("simulations", 60, 3600)  # sixty an hour from one address: each costs a second or two
IMPORTS = Limit("imports", 60, 3600)  # sixty files an hour in one study
SENT_LETTERS = Limit("sent-letters", 40_000_000, 3600)  # forty million an hour from one address: they are kept
GIVEN_LISTS = Limit("given-lists", 60, 3600)  # sixty an hour from one address: each may be 200 kB, kept for months


def address_of(request: HttpRequest) -> str:
    """A keyed hash of where the request came from; the address itself cannot be read from it."""
    return salted_hmac("people.limits", network_of(client_address(request))).hexdigest()[:32]
