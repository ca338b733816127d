from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0013_open_vocabulary")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="deleted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
