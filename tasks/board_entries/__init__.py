"""The vectors of the board's own entries: how they are made, here or on any other machine with the corpus."""
