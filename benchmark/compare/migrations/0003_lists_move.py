"""The tables stay: extensions.people takes them over."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('compare', '0002_translation_moves'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name='GivenLists'),
                migrations.DeleteModel(name='ListDeviation'),
            ]
        ),
    ]
