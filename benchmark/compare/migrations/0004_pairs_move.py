"""The table stays: extensions.pairs takes it over."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('compare', '0003_lists_move'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name='PairCorrelation')]),
    ]
