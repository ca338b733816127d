"""Readers: from the bytes of published files to examples, one module per format."""
