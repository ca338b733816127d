"""The jobs of a submission: its check, the plan of its cells, every cell, and its report."""
