from __future__ import annotations

from benchmark.features import Feature, Link


class LeaderboardConfig(Feature):
    name = "benchmark.leaderboard"
    urls = "views"
    jobs = "jobs"
    links = (Link("Leaderboard", "leaderboard:board", "main", here=("leaderboard", "reports")),)

    def ready(self) -> None:
        from django.contrib.auth import get_user_model
        from django.db.models.signals import post_delete, post_save

        from benchmark.leaderboard import page_cache
        from benchmark.leaderboard.models import ComputedBoard, Entry, on_entry_deleted, on_report, on_scores_gone
        from benchmark.submissions.models import StoredReport, Submission, scores_gone
        from benchmark.submissions.visibility import shown_changed

        post_save.connect(on_report, sender=StoredReport, dispatch_uid="leaderboard-entry")
        scores_gone.connect(on_scores_gone, dispatch_uid="leaderboard-gone")
        post_delete.connect(on_entry_deleted, sender=Entry, dispatch_uid="leaderboard-ranking-data")
        shown_changed.connect(page_cache.on_change, dispatch_uid="leaderboard-many")
        post_save.connect(page_cache.on_change, sender=ComputedBoard, dispatch_uid="leaderboard-board")
        for model in (Submission, Entry):
            for signal in (post_save, post_delete):
                signal.connect(page_cache.on_change, sender=model, dispatch_uid=f"leaderboard-{model.__name__}")
        post_save.connect(page_cache.on_user, sender=get_user_model(), dispatch_uid="leaderboard-user")
        post_delete.connect(page_cache.on_change, sender=get_user_model(), dispatch_uid="leaderboard-user")
