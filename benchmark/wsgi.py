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

# Import all views now rather than in the first request. Imported objects stay forever: excluding them from full garbage
# collections avoids a pause in one of twenty requests.
import_module("benchmark.urls")
gc.collect()
gc.freeze()
# A page makes tens of thousands of objects. With Python's thresholds, every fourth large board includes a full
# collection, a fifth of its time; with these, one in forty does. Memory use is the same.
gc.set_threshold(700, 20, 50)
