"""The operator's pages: Django's admin."""
