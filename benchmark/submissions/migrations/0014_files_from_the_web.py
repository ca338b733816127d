from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0013_open_vocabulary")]

    operations = [
        migrations.AddField(
            model_name="partialfile",
            name="url",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
        migrations.AddField(
            model_name="partialfile",
            name="validator",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
    ]
