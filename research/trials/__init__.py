"""The settings trials of docs/protocol.md §2.5: the choice of a suite's training settings."""
