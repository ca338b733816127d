"""The SVD-PPMI baseline: prescribed text, counting, PPMI, SVD, and the scores that ship with each suite version."""
