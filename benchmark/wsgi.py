"""Entry point of the web server."""

from __future__ import annotations

import gc
import logging
import os
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
application = get_wsgi_application()

for weakness in import_module("benchmark.operations.apps").weak_settings():
    logging.getLogger("vecboard.start").warning("%s %s", weakness.msg, weakness.hint)

# All views, now rather than by the first request. What is imported stays forever: left out of the collector's full
# passes, it no longer makes one request in twenty wait.
import_module("benchmark.urls")
gc.collect()
gc.freeze()
