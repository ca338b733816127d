"""Plain implementations, written from PROTOCOL.md, to stand beside ours in the same run."""
