"""How embeddings organise political meaning, compared pairwise (Rodriguez & Spirling 2019; docs/protocol.md §5)."""
