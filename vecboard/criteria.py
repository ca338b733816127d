"""Technical criteria written beside trained vectors (``python -m tasks train``), as details of an upload."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from vecboard.answers import Details
from vecboard.errors import Refused

SAME = ("corpus", "licence", "algorithm", "window", "iterations", "loss", "tokens")
NOTED = ("minimum_count", "seed", "converged", "processor_minutes")


def read_criteria(path: Path) -> Details:
    """The file's values under the field names of the upload form; values without a field go into the notes.

    Raises
    ------
    Refused
        the file does not exist, or is not a JSON object.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None
    except ValueError:
        written = None
    if not isinstance(written, dict):
        raise Refused(f"{path} is not a JSON object; give the file that `python -m tasks train` wrote.", "criteria")
    details: dict[str, object] = {name: written[name] for name in SAME if written.get(name) is not None}
    if written.get("minutes") is not None:
        details["training_minutes"] = written["minutes"]
    notes = [f"{name.replace('_', ' ')} {written[name]}" for name in NOTED if written.get(name) is not None]
    if notes:
        details["technical_notes"] = ", ".join(notes)
    return cast(Details, details)
