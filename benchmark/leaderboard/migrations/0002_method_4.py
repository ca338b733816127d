"""Ranking data hold figures with the effects of examples and seeds; workers compute them again from the outcomes."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("leaderboard", "Entry").objects.update(ranking_key="")


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_initial")]
    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
