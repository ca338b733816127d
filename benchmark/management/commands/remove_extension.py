"""``manage.py remove_extension NAME``: delete an extension's tables, jobs and files, before its code is deleted.

Without it, rows of the extension would remain whose keys to entries and accounts keep these from being deleted.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from benchmark import storage
from benchmark.features import Extension, features
from benchmark.operations.models import Job


class Command(BaseCommand):
    help = (
        "Show the rows, open jobs and files of extensions that this site will no longer have; --apply deletes them. "
        "Run it on a stopped site, then delete the lines and folders of the extensions. This cannot be undone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME", help="folder of an extension, with those that need it")
        parser.add_argument("--apply", action="store_true", help="delete everything that is listed")

    def handle(self, *args: Any, names: list[str], apply: bool, **options: Any) -> None:
        extensions = {feature.label: feature for feature in features() if isinstance(feature, Extension)}
        if missing := sorted(set(names) - extensions.keys()):
            raise CommandError(
                f"This site has no extension {missing[0]!r}; it has {', '.join(extensions)}. If the folder is already "
                "deleted, put it and its line back."
            )
        removed = [extensions[name] for name in dict.fromkeys(names)]
        for other in extensions.values():
            required = [extension.label for extension in removed if extension.name in other.requires]
            if other not in removed and required:
                raise CommandError(f"{other.label} requires {required[0]}: name it as well.")
        for extension in removed:
            self._remove(extension, apply=apply)
        if not apply:
            self.stdout.write("Nothing was deleted: --apply deletes it.")

    def _remove(self, extension: Extension, *, apply: bool) -> None:
        models = list(extension.get_models(include_auto_created=True))
        tables = connection.introspection.table_names()
        if any(model._meta.db_table not in tables for model in models):
            models = []  # an interrupted run has deleted them, all at once
        for model in models:
            self.stdout.write(f"{model._meta.db_table}: {model._base_manager.count():,} rows")
        kinds = {upload.job for upload in extension.uploads}
        if extension.jobs:
            kinds |= import_module(f"{extension.name}.{extension.jobs}").KINDS.keys()
        jobs = Job.objects.filter(kind__in=kinds)
        files = [file.key for folder in extension.folders for file in storage.keys(folder)]
        self.stdout.write(f"{extension.label}: {jobs.count():,} open jobs, {len(files):,} files")
        if not apply:
            return
        # Before the tables, so that an interrupted run can be repeated.
        jobs.delete()
        for key in files:
            storage.delete(key)
        for folder in extension.scratch():
            shutil.rmtree(folder)
        # The core's migrations made some tables, and would not make them again for an extension that comes back.
        inherited = [model for model in models if not model._meta.db_table.startswith(f"{extension.label}_")]
        for model in inherited:
            model._base_manager.all().delete()
        with connection.schema_editor() as editor:
            for model in models:
                if model not in inherited:
                    editor.delete_model(model)
        MigrationRecorder.Migration.objects.filter(app=extension.label).delete()
        ContentType.objects.filter(app_label=extension.label).delete()  # with their permissions
