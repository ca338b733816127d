from __future__ import annotations

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "benchmark.leaderboard"

    def ready(self) -> None:
        from django.db.models.signals import post_save

        from benchmark.leaderboard.entries import on_report
        from benchmark.submissions.models import Report

        post_save.connect(on_report, sender=Report, dispatch_uid="leaderboard-entry")
