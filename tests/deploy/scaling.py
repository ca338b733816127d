"""Numbers of workers, as the manifests define them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

MANIFESTS = Path(__file__).resolve().parents[2] / "deploy" / "kubernetes"


@dataclass(frozen=True)
class Scaled:
    """A ScaledObject: one worker for every ``target`` rows that ``query`` counts, ``most`` at once."""

    query: str
    target: int
    most: int

    def workers(self, rows: int) -> int:
        return min(self.most, -(-rows // self.target))


def scaled(name: str) -> Scaled:
    """The ScaledObject of a deployment in scaling.yaml."""
    for found in yaml.safe_load_all((MANIFESTS / "scaling.yaml").read_text(encoding="utf-8")):
        if (found["kind"], found["metadata"]["name"]) == ("ScaledObject", name):
            (trigger,) = found["spec"]["triggers"]
            metadata = trigger["metadata"]
            return Scaled(metadata["query"], int(metadata["targetQueryValue"]), found["spec"]["maxReplicaCount"])
    raise LookupError(name)
