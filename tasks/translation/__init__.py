"""Word translation between two vector spaces with a bilingual dictionary (PROTOCOL.md §4): descriptive, in no mean."""
