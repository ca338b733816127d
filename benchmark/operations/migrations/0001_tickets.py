import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ("submissions", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Ticket",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("payer", models.CharField(blank=True, max_length=80)),
                ("level", models.PositiveSmallIntegerField(null=True)),
                ("queued_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ticket",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["payer", "created_at"], name="ticket_payer"),
                    models.Index(fields=["level", "queued_at"], name="ticket_turn"),
                ],
            },
        ),
    ]
