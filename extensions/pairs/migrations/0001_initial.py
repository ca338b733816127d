"""The table was made for benchmark.compare, which hands it over."""

import benchmark.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('compare', '0004_pairs_move'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.CreateModel(
                name='PairCorrelation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('figures', benchmark.fields.OrderedJSONField(null=True)),
                    ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ('left_sha256', models.CharField(max_length=64)),
                    ('right_sha256', models.CharField(max_length=64)),
                    ('cues', models.JSONField()),
                    ('cues_key', models.CharField(max_length=64)),
                    ('left', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='submissions.submission')),
                    ('right', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='submissions.submission')),
                ],
                options={
                    'db_table': 'compare_paircorrelation',
                    'constraints': [models.UniqueConstraint(fields=('left_sha256', 'right_sha256', 'cues_key'), name='one_row_per_pair_and_cues')],
                },
            ),
        ]),
    ]
