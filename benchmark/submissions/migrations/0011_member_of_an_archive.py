from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0010_expected_times")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="member",
            field=models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
    ]
