"""Modules that several extensions use, and the core doesn't. Not an extension: it stays when these are removed."""
