"""Trainings of one's own (``python -m tasks train``), and texts with marked words."""
