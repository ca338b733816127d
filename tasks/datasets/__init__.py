"""Data sets: a registry of what exists, where its files come from, and how they are read."""
