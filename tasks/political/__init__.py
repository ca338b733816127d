"""How embeddings organise political meaning, compared with each other (Rodriguez & Spirling 2019; PROTOCOL.md §5)."""
