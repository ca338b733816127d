"""The tables were made for benchmark.compare, which hands them over."""

import benchmark.fields
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('people', '0001_initial'),
        ('compare', '0003_lists_move'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.CreateModel(
                name='GivenLists',
                fields=[
                    ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                    ('title', models.CharField(max_length=60)),
                    ('words', benchmark.fields.OrderedJSONField()),
                    ('looked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ],
                options={
                    'db_table': 'compare_givenlists',
                },
            ),
            migrations.CreateModel(
                name='ListDeviation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('figures', benchmark.fields.OrderedJSONField(null=True)),
                    ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ('vectors_sha256', models.CharField(max_length=64)),
                    ('lists_key', models.CharField(max_length=64)),
                    ('words', benchmark.fields.OrderedJSONField(null=True)),
                    ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='submissions.submission')),
                ],
                options={
                    'db_table': 'compare_listdeviation',
                    'constraints': [models.UniqueConstraint(fields=('vectors_sha256', 'lists_key'), name='one_row_per_vectors_and_lists')],
                },
            ),
        ]),
    ]
