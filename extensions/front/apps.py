from __future__ import annotations

from benchmark.features import Link, Upload
from extensions.texts.apps import Measures


class FrontConfig(Measures):
    name = "extensions.front"
    requires = ("extensions.texts", "extensions.find")
    part_of = (("front", "find:find"),)
    links = (Link("Vectors that are too large", "front:ask", "find", detail="How small can they get? · minutes"),)
    uploads = (Upload(("/find/front", "/api/v1/front"), "VECBOARD_MAX_CORPUS_BYTES", job="front"),)
    folders = ("front",)
    plural = "reports on smaller vectors"
