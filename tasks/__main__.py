"""``python -m tasks``: evaluate embeddings without the site."""

from __future__ import annotations

import sys

from tasks.cli import main

sys.exit(main())
