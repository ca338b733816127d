"""Means that were copied from the report and that nothing reads any more.

Their columns stay in the database until a later version drops them, so that processes of the version before go on while
this migration runs.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("submissions", "0017_deleted_at")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("submission", column) for column in ("fixed", "fine_tuned")]
        ),
    ]
