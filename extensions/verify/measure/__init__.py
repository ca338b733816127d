"""Is a bundle what was measured? (``python -m tasks verify``)"""
