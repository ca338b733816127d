"""Lists and ranks of a study with people, from the vectors of the entries that it compares."""

from __future__ import annotations

import logging

from workers.vectors import embedding_of

log = logging.getLogger(__name__)


def make(study_id: str) -> None:
    """Write what the study waits for; made again, it is the same. A study that is gone needs nothing."""
    from benchmark.people.lists import make_lists
    from benchmark.people.models import Study

    study = Study.objects.filter(pk=study_id).first()
    if study is None:
        log.info("Study %s is gone; there are no lists to make.", study_id)
        return
    make_lists(study, embedding_of)
