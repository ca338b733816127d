from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("submissions", "0011_member_of_an_archive")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="read_as",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
    ]
