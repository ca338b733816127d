"""Entries beside people's lists of context words."""
