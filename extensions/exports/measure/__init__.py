"""A report in the forms of others (``python -m tasks export``)."""
