"""The ten tests of Caliskan, Bryson & Narayanan (2017, table 1), with the lists of the data set ``weat``."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.associations.weat import AssociationQuestion, WordList
from tasks.datasets.examples import ListedWord
from tasks.datasets.store import DataStore

DATASET = "weat"


@dataclass(frozen=True)
class Published:
    """A test of the source: names of its lists in the data set, X, Y, A, B."""

    id: str
    title: str
    lists: tuple[str, str, str, str]

    def question(self, data: DataStore) -> AssociationQuestion:
        """With the words of its lists.

        Raises
        ------
        DataUnavailable
            the lists are not there.
        """
        parts = data.load(DATASET)
        x, y, a, b = (
            WordList.of(name, [entry.word for entry in parts[name] if isinstance(entry, ListedWord)])
            for name in self.lists
        )
        return AssociationQuestion((x, y), (a, b))


PUBLISHED = (
    Published("weat-1", "Flowers and insects, pleasant", ("flowers", "insects", "pleasant_5", "unpleasant_5a")),
    Published("weat-2", "Instruments and weapons, pleasant", ("instruments", "weapons", "pleasant_5", "unpleasant_5a")),
    Published(
        "weat-3",
        "European and African American names, pleasant (Greenwald et al.)",
        ("european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b"),
    ),
    Published(
        "weat-4",
        "European and African American names, pleasant (Bertrand & Mullainathan)",
        ("european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b"),
    ),
    Published(
        "weat-5",
        "European and African American names, pleasant (Nosek et al.)",
        ("european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9"),
    ),
    Published("weat-6", "Male and female names, career", ("male_names", "female_names", "career", "family")),
    Published("weat-7", "Mathematics and arts, male", ("math", "arts", "male_terms", "female_terms")),
    Published("weat-8", "Science and arts, male", ("science", "arts_2", "male_terms_2", "female_terms_2")),
    Published(
        "weat-9",
        "Mental and physical disease, temporary",
        ("mental_disease", "physical_disease", "temporary", "permanent"),
    ),
    Published(
        "weat-10",
        "Young and old people's names, pleasant",
        ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9"),
    ),
)
"""In the source's order."""
