#!/usr/bin/env python
"""The site's command line."""

from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError


def main() -> None:
    """Run a command; a setting or file that is wrong, or a full disk, ends it with a sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except (OSError, DatabaseError) as error:
        from benchmark.operations import space

        if not space.is_full(error):
            raise
        sys.exit(f"The disk is full ({error}). {space.advice()}")


if __name__ == "__main__":
    main()
