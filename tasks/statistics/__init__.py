"""Intervals, tests, correlations and ranks, from the outcomes of single examples (docs/protocol.md §8)."""
