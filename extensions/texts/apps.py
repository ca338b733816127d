from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmark.features import Belongings, Extension

if TYPE_CHECKING:
    from extensions.texts.models import Measurement


class Measures(Extension):
    """An extension with one model of measurements. ``REQUEST`` of its ``child`` is the class of their requests."""

    requires: tuple[str, ...] = ("extensions.texts",)
    urls, api = "views", "api"
    plural: str
    """What a visitor's rows are called."""

    @property
    def measurement(self) -> type[Measurement]:
        """Its model."""
        from extensions.texts.models import Measurement

        return next(model for model in self.get_models() if issubclass(model, Measurement))

    def tidy(self) -> None:
        self.measurement.tidy()

    def scratch(self) -> list[Path]:
        return [self.measurement.scratch()]

    def belongings(self) -> Belongings:
        model = self.measurement
        return Belongings(
            name=model.FOLDER,
            rows=model._default_manager.all(),
            erase=model.erase,
            singular=str(model._meta.verbose_name),
            plural=self.plural,
            if_kept=f"only their owner links then {'open and ' * model.IS_PRIVATE}control them",
            if_deleted="with their files",
        )


class TextsConfig(Extension):
    name = "extensions.texts"
    urls, jobs = "", "jobs"
