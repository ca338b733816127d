"""Vecboard from Python and from the shell: check and submit vectors, follow them, read the report and the board; save
published vectors as files.

>>> import vecboard
>>> report = vecboard.submit((words, array), "my vectors", server="https://vecboard.example", wait=True)

The names below are the public interface; all others may change between versions.
"""

from tasks.answers import Details
from vecboard.client import Accepted, Client, submit
from vecboard.connection import VERSION, ClientError, Exit, NoReport, NotYet, Refused, Unreachable
from vecboard.fetch import SavedVectors, save_public
from vecboard.keyring import Keyring

__version__ = VERSION
__all__ = [
    "Accepted",
    "Client",
    "ClientError",
    "Details",
    "Exit",
    "Keyring",
    "NoReport",
    "NotYet",
    "Refused",
    "SavedVectors",
    "Unreachable",
    "__version__",
    "save_public",
    "submit",
]
