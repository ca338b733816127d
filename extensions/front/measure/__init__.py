"""Smaller variants of a vector file, and the smallest one that is not inferior (``python -m tasks front``)."""
