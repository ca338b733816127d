from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0016_likely_language")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="deleted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
