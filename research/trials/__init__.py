"""The settings trials of PROTOCOL.md §2: how the training settings of a suite were chosen."""
