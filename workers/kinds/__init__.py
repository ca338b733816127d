"""The jobs of a submission: download, check, planning, cells, report."""
