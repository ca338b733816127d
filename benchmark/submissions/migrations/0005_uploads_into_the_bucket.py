from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('submissions', '0004_uploads_in_pieces'),
    ]

    # With defaults of the database: processes of the version before go on while this one is being deployed.
    operations = [
        migrations.AddField(
            model_name='partialfile',
            name='piece_bytes',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='partialfile',
            name='bucket_upload',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
        migrations.AddField(
            model_name='partialfile',
            name='digests',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
