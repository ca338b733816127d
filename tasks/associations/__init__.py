"""What vectors associate with what (PROTOCOL.md §5a): descriptive, in no mean and no rank."""
