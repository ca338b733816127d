"""The version of this package, sent to servers and in its metadata."""

VERSION = "0.1.0"
