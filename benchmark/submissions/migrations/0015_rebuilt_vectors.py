from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0014_files_from_the_web")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="vectors_problem",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
