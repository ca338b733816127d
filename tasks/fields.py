"""Descriptions of the fields of answers and reports, which the API's documentation shows, and fields that several have.

Numbers say their unit; a description is written for readers of JSON: ``null``, not None.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic.fields import FieldInfo

FRACTION = "a fraction from 0 to 1"
INTERVAL = "95 % interval as [low, high]"
OWN_UNIT = "in the metric's own unit: accuracies, F1 and precision are fractions, correlations are from −1 to 1"
REDUCTION = "relative error reduction as a fraction: 0.05 are five per cent fewer errors than the baseline's"


def doc(description: str) -> FieldInfo:
    """The description of a field, in its ``Annotated`` type."""
    field: FieldInfo = Field(description=description)
    return field


EntryId = Annotated[str, doc("id of the entry, as in URLs")]
EntryName = Annotated[str, doc("shown on the board")]
Owner = Annotated[str, doc("account name; empty without one")]
OwnerRuns = Annotated[int | None, doc("files of this owner measured with the suite; null if that must not be shown")]
Language = Annotated[str, doc("code of the language; `en` by default")]
Track = Annotated[str, doc("which corpus: `prescribed` or `other`")]
UsesTaskData = Annotated[bool, doc("whether trained on the tasks' data")]
IsOpen = Annotated[bool, doc("whether composed for the suite's list of words")]
DeviceBytes = Annotated[
    int | None,
    doc(
        "bytes of the numbers and words that a device holds: of a model, not of words composed from it; null if unknown"
    ),
]
Corpus = Annotated[str, doc("that the vectors are trained on")]
Algorithm = Annotated[str, doc("that trained the vectors")]
SuiteId = Annotated[str, doc("id of the suite")]
SuiteVersion = Annotated[int, doc("version of the suite")]
TaskId = Annotated[str, doc("id of the task")]
ColumnKey = Annotated[str, doc("key of the column")]
Reduction = Annotated[float | None, doc(REDUCTION)]
Reason = Annotated[str, doc("one sentence; empty if there is nothing to say")]
