from __future__ import annotations

from benchmark.features import Extension, Link


class TranslationConfig(Extension):
    name = "extensions.translation"
    urls = "views"
    jobs = "jobs"
    comparison = "views"
    part_of = (("translation", "compare:compare"),)
    links = (
        Link("Across languages", "translation:translation", "Results"),
        Link("Translation between two languages, with a dictionary", "translation:translation", "compare"),
    )

    def tidy(self) -> None:
        from extensions.shared.requested import forget_old
        from extensions.translation.models import WordTranslation

        forget_old(WordTranslation, ("translate",))
