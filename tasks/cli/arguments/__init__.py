"""What can be typed after ``python -m tasks``.

Nothing here imports numpy, torch or a suite, so that help and the answer to a wrong argument come at once.
"""
