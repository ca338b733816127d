"""gunicorn's log lines, without secrets: URLs contain secrets of owners and of links in mails."""

from __future__ import annotations

import logging

from gunicorn.glogging import Logger as GunicornLogger

from benchmark.operations.logs import without_secrets


class Logger(GunicornLogger):  # type: ignore[misc]
    """Used by ``gunicorn.conf.py``; the access log is off unless ``--access-logfile`` asks for it."""

    def setup(self, cfg: object) -> None:
        super().setup(cfg)
        for log in (self.access_log, self.error_log):
            log.addFilter(cut_out_secrets)


def cut_out_secrets(record: logging.LogRecord) -> bool:
    record.msg, record.args = without_secrets(record.getMessage()), ()
    return True
