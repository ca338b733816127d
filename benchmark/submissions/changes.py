"""Signals sent whenever something that lists show of submissions changes."""

from __future__ import annotations

from django.dispatch import Signal

shown_changed = Signal()
"""Sent with the model as ``sender`` after an update of many rows, which Django itself announces to nobody."""
figures_gone = Signal()
"""Sent with ``submission_id`` when an entry's figures no longer hold: lists are without them until the next report."""
UNSEEN = frozenset({"check_tries", "error", "warnings"})
"""Columns that move while a file is checked; no list shows them."""
