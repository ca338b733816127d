"""Columns that moved to ``operations.Job``.

The program no longer reads or writes them. Their columns stay in the database until a later version drops them, so that
processes of the version before go on while this migration runs; they get a default of the database's own, as new rows
no longer fill them.
"""

from django.db import migrations, models

GONE = {
    "submission": ("check_share", "check_what", "check_enqueued_at", "check_heartbeat_at"),
    "taskrun": ("enqueued_at", "heartbeat_at", "share", "what"),
}


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0008_a_hash_for_each_mode"),
        ("operations", "0003_bytes_of_today"),
    ]

    operations = [
        migrations.AlterField("submission", "check_share", models.FloatField(default=0.0, db_default=0.0)),
        migrations.AlterField("submission", "check_what", models.CharField(max_length=200, blank=True, db_default="")),
        migrations.AlterField("taskrun", "share", models.FloatField(default=0.0, db_default=0.0)),
        migrations.AlterField("taskrun", "what", models.CharField(max_length=200, blank=True, db_default="")),
        migrations.RemoveIndex("taskrun", "signs_of_life"),
        migrations.AddIndex("taskrun", models.Index(fields=["state"], name="cell_state")),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model, column) for model, columns in GONE.items() for column in columns
            ]
        ),
    ]
