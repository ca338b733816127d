import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('operations', '0001_tickets'),
        ('submissions', '0007_keys_keep_their_order'),
    ]

    operations = [
        migrations.AddField(
            model_name='ticket',
            name='bytes',
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='ticket',
            name='files',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='ticket',
            name='left_as',
            field=models.CharField(blank=True, db_default='', default='', max_length=12),
        ),
        migrations.AlterField(
            model_name='ticket',
            name='submission',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='ticket', to='submissions.submission'),
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('subject', models.CharField(max_length=64)),
                ('payer', models.CharField(blank=True, max_length=80)),
                ('level', models.PositiveSmallIntegerField()),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('sent_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('share', models.FloatField(default=0.0)),
                ('what', models.CharField(blank=True, max_length=200)),
                ('reason', models.TextField(blank=True)),
                ('submission', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='submissions.submission')),
            ],
            options={
                'indexes': [models.Index(fields=['payer'], name='job_payer'), models.Index(fields=['heartbeat_at', 'sent_at'], name='job_signs')],
                'constraints': [models.UniqueConstraint(fields=('kind', 'subject'), name='one_job_per_subject')],
            },
        ),
    ]
