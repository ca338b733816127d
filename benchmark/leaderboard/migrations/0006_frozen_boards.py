"""Boards as they were on a day, for permanent links."""

from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0005_members_of_a_board")]

    operations = [
        migrations.CreateModel(
            name="FrozenStanding",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("suite", models.CharField(max_length=40)),
                ("version", models.PositiveIntegerField()),
                ("frozen_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ("size", models.PositiveBigIntegerField()),
                ("body", models.BinaryField()),
            ],
        )
    ]
