"""Studies of the benchmark itself: what its published constants are, and whether its intervals hold what they say."""
