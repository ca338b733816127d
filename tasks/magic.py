"""The first bytes by which a file's form is known."""

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
PARQUET = b"PAR1"
WORKBOOKS = (b"\xd0\xcf\x11\xe0", ZIP)
"""Excel, before and since 2007."""
ARROW = b"ARROW1"
PACKED = (GZIP, ZIP, PARQUET)
"""Files that compressing would not make smaller."""
