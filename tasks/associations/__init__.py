"""Associations of words in vectors (docs/protocol.md §6): descriptive, without effect on means and ranks."""
