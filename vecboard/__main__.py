"""``python -m vecboard``: the console command without installation."""

from __future__ import annotations

import sys

from vecboard.cli import main

if __name__ == "__main__":
    sys.exit(main())
