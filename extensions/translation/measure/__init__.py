"""Word translation between two vector files (``python -m tasks translate``)."""
