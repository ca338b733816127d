"""``python -m research``."""

from __future__ import annotations

import sys

from research.cli import main

sys.exit(main())
