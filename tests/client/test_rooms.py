"""Imports of the client: only the check, the gate and the writer of vector files, when needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_architecture import imported, modules, python

CHECK = {
    "tasks.cli.main",
    "tasks.cli.build_parser",
    "tasks.cli.tables.report_table",
    "tasks.suites",
    "tasks.datasets.store.DataStore",
}
FORMS = {
    *("tasks.results.Report", "tasks.text.allow_any_terminal"),
    *(
        f"tasks.answers.{name}"
        for name in ("BoardColumn", "BoardPage", "Details", "EXPORT_FORMS", "ExportForm", "JobProgress")
    ),
    *(f"tasks.answers.{name}" for name in ("SubmissionStatus", "UploadAnswer")),
    *(f"tasks.answers.{name}Answer" for name in ("Associations", "Comparison", "Neighbours")),
}
FILES = {
    "tasks.errors.DataUnavailable", "tasks.errors.InputError", "tasks.files.of_archive", "tasks.files.sync_folder",
    "tasks.files.whole", "tasks.files.PACKED", "tasks.formats.ReadRequest", "tasks.formats.reading.member_of",
    "tasks.files.TENSORS", "tasks.files.write_whole", "tasks.files.packed_model", "tasks.files.temporary_folder",
    "tasks.formats.source.ByteSource", "tasks.formats.text_blocks.write_text",
    "tasks.formats.reading.prepare", "tasks.prepared.open_prepared", "tasks.vectors.Embedding",
    "tasks.word_list.words_for",
}  # fmt: skip
GATE = {
    *(f"tasks.gate.{name}" for name in ("Gated", "gate", "junit", "sentence", "worst")),
    *("tasks.cli.tables.report_table", "tasks.suites.get", "tasks.errors.VecboardError"),
}
DOWNLOADS = {
    f"tasks.download.{name}" for name in ("DownloadFailed", "DownloadFile", "TooLarge", "download", "web_client")
}


@pytest.mark.parametrize("path", modules("vecboard"), ids=lambda path: path.stem)
def test_it_imports_only_the_check_the_forms_of_answers_and_the_reading_of_files(path: Path) -> None:
    foreign = {name for name in imported(path) if name.split(".")[0] in ("tasks", "workers", "benchmark")}
    assert foreign <= CHECK | FORMS | FILES | GATE | DOWNLOADS


def test_loading_the_command_loads_none_of_the_measurement() -> None:
    loaded = python("import sys, vecboard, vecboard.cli\nprint(*sys.modules)").split()
    assert "vecboard.client" in loaded
    own = {name for name in loaded if name.startswith("tasks.")}
    assert own == {"tasks.answers", "tasks.download", "tasks.errors", "tasks.fields", "tasks.files", "tasks.text"}
    assert {"django", "torch", "numpy", "scipy"}.isdisjoint(loaded)
