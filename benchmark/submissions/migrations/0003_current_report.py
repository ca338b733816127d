"""Every report that is there is the first version and the current one."""

from django.db import migrations, models


def point_at_reports(apps, schema_editor):
    Submission = apps.get_model("submissions", "Submission")
    Report = apps.get_model("submissions", "Report")
    own = Report.objects.filter(submission=models.OuterRef("pk")).values("pk")[:1]
    Submission.objects.update(report=models.Subquery(own))


class Migration(migrations.Migration):
    dependencies = [("submissions", "0002_owners_versions_runs")]
    operations = [migrations.RunPython(point_at_reports, migrations.RunPython.noop)]
