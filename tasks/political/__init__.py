"""How vectors organise political meaning, one set compared with another (Rodriguez & Spirling 2019; PROTOCOL.md §5)."""
