"""Two vector files: ranking correlation, and words that moved (``python -m tasks compare``, ``drift``)."""
