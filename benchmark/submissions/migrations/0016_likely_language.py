from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0015_rebuilt_vectors")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="likely_language",
            field=models.CharField(blank=True, db_default="", default="", max_length=8),
        ),
    ]
