"""Fixtures of the site and of the measurement, for the tests of extensions."""

from __future__ import annotations

from tests.benchmark.conftest import free_space as free_space
from tests.benchmark.conftest import leave as leave
from tests.benchmark.conftest import other as other
from tests.benchmark.conftest import own_files as own_files
from tests.benchmark.conftest import owner as owner
from tests.benchmark.conftest import stopped_clock as stopped_clock
from tests.benchmark.conftest import stranger as stranger
from tests.benchmark.conftest import submission as submission
from tests.tasks.conftest import demo_vectors as demo_vectors
from tests.tasks.conftest import short_text as short_text
from tests.tasks.conftest import store as store
