"""The jobs of a submission: fetching its file, its check, the plan of its cells, every cell, and its report."""
