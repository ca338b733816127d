"""Do the papers' claims hold on this board? Every number is computed from the shipped reports."""
