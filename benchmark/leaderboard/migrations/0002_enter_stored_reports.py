import json

from django.db import migrations

from benchmark.leaderboard.figures import figures_of
from tasks.results import Report


def enter(apps, schema_editor):
    """Reports of before there was this table: the latest of each submission and suite version becomes its entry."""
    Entry = apps.get_model("leaderboard", "Entry")
    for stored in apps.get_model("submissions", "Report").objects.order_by("pk").iterator(chunk_size=50):
        report = Report.from_dict(json.loads(stored.body))
        figures, reasons = figures_of(report)
        which = {
            "submission_id": stored.submission_id, "suite": stored.submission.suite,
            "version": report.suite["version"],
        }
        Entry.objects.filter(**which).delete()
        Entry.objects.create(**which, report=stored, figures=figures, reasons=reasons)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_entries_and_standings")]
    operations = [migrations.RunPython(enter, migrations.RunPython.noop)]
