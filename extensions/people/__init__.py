"""Studies with people: raters, what they write or choose, and its comparison with vectors."""
