"""What can be typed after ``python -m tasks``, and which function runs it.

Nothing here imports numpy, torch or a suite, so that help and the answer to a wrong argument come at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tasks.cli.arguments import making, measuring
from tasks.cli.arguments.options import Commands

COMMANDS: Mapping[str, Callable[[Commands], None]] = {
    "check": measuring.check,
    "evaluate": measuring.evaluate,
    "compare": measuring.compare,
    "associate": measuring.associate,
    "contexts": measuring.contexts,
    "drift": measuring.drift,
    "translate": measuring.translate,
    "baseline": measuring.baseline,
    "datasets": making.datasets,
    "languages": making.languages,
    "corpus": making.corpus,
    "treebank": making.treebank,
    "words": making.words,
    "train": making.train,
    "tag": making.tag,
    "subgroups": measuring.subgroups,
}
