"""Word translation between two spaces with a bilingual dictionary (docs/protocol.md §6.7): descriptive, in no mean."""
