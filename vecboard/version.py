"""The version of this package, told to servers and in its metadata."""

VERSION = "0.1.0"
