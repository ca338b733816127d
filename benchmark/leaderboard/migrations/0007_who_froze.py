"""Who froze a board: one visitor has half of what is meant for all."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0006_frozen_boards")]

    operations = [
        migrations.AddField(
            model_name="frozenstanding",
            name="payer",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
        migrations.AddIndex(
            model_name="frozenstanding",
            index=models.Index(fields=["payer", "frozen_at", "size"], name="frozen_by"),
        ),
    ]
