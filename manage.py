#!/usr/bin/env python
"""The site's command line."""

from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, execute_from_command_line
from django.db import DatabaseError

from benchmark.operations.logs import end


def main() -> None:
    """Run a command; a setting or file that is wrong, or a full disk, ends it with a sentence.

    Checks of the program, which import all views and take seconds, belong to ``manage.py check`` and the tests.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
    if sys.argv[1:2] != ["runserver"]:  # reads the option that skips them, which only commands with checks have
        BaseCommand.requires_system_checks = ()
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        end(str(error))
    except (OSError, DatabaseError) as error:
        from benchmark.operations import space

        if not space.is_full(error):
            raise
        end(f"The disk is full ({error}). {space.advice()}")


if __name__ == "__main__":
    main()
