"""Studies of the benchmark itself: its published constants, and the coverage of its intervals."""
