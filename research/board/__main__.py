from __future__ import annotations

import sys

from research.board.cli import main

if __name__ == "__main__":
    sys.exit(main())
