"""Do the papers' claims hold on this board? Every figure is computed from the reports that are shipped with it."""
