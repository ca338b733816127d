"""Restarting lost work: the scheduler and the sweep that it runs."""
