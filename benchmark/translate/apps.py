from __future__ import annotations

from benchmark.features import Feature


class TranslateConfig(Feature):
    name = "benchmark.translate"
    urls = "pages"
    jobs = "jobs"

    def tidy(self) -> None:
        from benchmark.compare.models import forget_unwanted
        from benchmark.translate.models import KIND, WordTranslation

        forget_unwanted(WordTranslation.objects.all(), KIND)
