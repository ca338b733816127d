"""Technical criteria that a training wrote beside its vectors (``python -m tasks train``), as an upload tells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from vecboard.client import Details
from vecboard.errors import Refused

SAME = ("corpus", "licence", "algorithm", "window", "iterations", "loss", "tokens")
NOTED = ("minimum_count", "seed", "converged", "processor_minutes")


def read_criteria(path: Path) -> Details:
    """What the file says, in the names of the upload form; what has no field there goes into the notes.

    Raises
    ------
    Refused
        there is no such file, or it is no JSON object.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None
    except ValueError:
        written = None
    if not isinstance(written, dict):
        raise Refused(f"{path} is no JSON object; give the file that the training wrote.", "criteria")
    details: dict[str, Any] = {name: written[name] for name in SAME if written.get(name) is not None}
    if written.get("minutes") is not None:
        details["training_minutes"] = written["minutes"]
    notes = [f"{name.replace('_', ' ')} {written[name]}" for name in NOTED if written.get(name) is not None]
    if notes:
        details["technical_notes"] = ", ".join(notes)
    return cast(Details, details)
