"""Draws that lack the uncertainty of training seeds are forgotten; the next job of ranks computes them anew."""

from django.db import migrations


def forget(apps, schema_editor):
    apps.get_model("leaderboard", "EntryDraws").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0003_orders_and_marks"),
    ]

    operations = [
        migrations.RunPython(forget, migrations.RunPython.noop),
    ]
