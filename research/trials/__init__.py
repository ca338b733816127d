"""The settings trials of docs/protocol.md §2.5: how the training settings of a suite were chosen."""
