"""Declarations of the data sets, one module per kind. Addresses are pinned to a commit."""
