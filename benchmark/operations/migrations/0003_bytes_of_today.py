from datetime import timedelta
from typing import Any

from django.db import migrations
from django.db.models import Sum
from django.utils import timezone


def count_today(apps: Any, schema_editor: Any) -> None:
    """What was sent within the last day counts on under the new columns; earlier tickets are never asked."""
    tickets = apps.get_model("operations", "Ticket").objects.filter(created_at__gt=timezone.now() - timedelta(days=1))
    for ticket in tickets.select_related("submission"):
        further = ticket.submission.run_files.aggregate(sum=Sum("bytes"))["sum"] or 0
        ticket.files = 1 + ticket.submission.run_files.count()
        ticket.bytes = ticket.submission.file_bytes + further
        ticket.save(update_fields=["files", "bytes"])


class Migration(migrations.Migration):
    dependencies = [("operations", "0002_whole_days_and_jobs")]
    operations = [migrations.RunPython(count_today, migrations.RunPython.noop)]
