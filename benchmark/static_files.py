"""Static files under names that carry their content's hash, when they were collected; plain names in a checkout."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """A name that was not collected is served as it is (by WhiteNoise, from static/) instead of breaking the page."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        if not self.hashed_files:
            return name
        return str(super().stored_name(name))
