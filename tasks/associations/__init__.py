"""What vectors associate with what (docs/protocol.md §6): descriptive, in no mean and no rank."""
