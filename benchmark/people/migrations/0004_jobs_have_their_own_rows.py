"""Columns that moved to ``operations.Job``; see the migration of this name in ``submissions``."""

from django.db import migrations, models

ASKED = 8  # the level of what somebody asked for on a page


def queue_lists(apps, schema_editor):
    """Lists that were waited for are waited for still; the sweeper sends their messages."""
    studies = apps.get_model("people", "Study").objects.filter(lists_asked_at__isnull=False)
    jobs = apps.get_model("operations", "Job").objects
    for pk, asked_at in studies.values_list("pk", "lists_asked_at"):
        told = {"level": ASKED, "asked_at": asked_at, "sent_at": asked_at}
        jobs.get_or_create(kind="make_lists", subject=pk, defaults=told)


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0003_keys_keep_their_order"),
        ("operations", "0003_bytes_of_today"),
    ]

    operations = [
        migrations.RunPython(queue_lists, migrations.RunPython.noop),
        migrations.AlterField("study", "lists_tries", models.PositiveSmallIntegerField(default=0, db_default=0)),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField("study", column)
                for column in ("lists_asked_at", "lists_heartbeat_at", "lists_tries")
            ]
        ),
    ]
