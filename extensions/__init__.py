"""Questions of their own, a folder each, which a site can do without: see ``benchmark/features.py``."""
