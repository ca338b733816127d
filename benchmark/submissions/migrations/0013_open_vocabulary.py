from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0012_format_of_the_file")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="open_vocabulary",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
