"""Word axes, and contexts of groups of documents with their regressions (docs/protocol.md §6): descriptive."""
