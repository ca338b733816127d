"""Texts and vectors that users bring to the measures of extensions, without Django."""
