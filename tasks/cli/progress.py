"""A progress bar for one piece of work; the bar over the cells of an evaluation is in ``evaluate``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from tasks.processes import Progress


@contextmanager
def step_bar(work: str, *, even: bool = False) -> Iterator[Progress]:
    """A bar on stderr with the current step; silent if stderr is not a terminal. It never moves backwards.

    Parameters
    ----------
    even : the share grows in step with time, so that the time left can be shown.
    """
    left = ", {remaining} left" if even else ""
    bar_format = f"{{desc}}: {{percentage:3.0f}} % |{{bar}}| [{{elapsed}}{left}] {{postfix}}"
    with tqdm(total=1.0, desc=work, bar_format=bar_format, leave=False, disable=None) as bar:

        def progress(share: float, what: str) -> None:
            bar.n = max(bar.n, share)
            bar.set_postfix_str(what)

        yield progress
