"""Examples on which two reports differ, and kinds of errors (``python -m tasks differ``)."""
