"""Bundles of reports, and the key that signs them."""

from __future__ import annotations

import hashlib
import io

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from benchmark import storage
from benchmark.env import env_secret
from benchmark.reports.downloads import with_outcomes
from benchmark.responses import kept_if_open, revalidated, revalidated_page
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission
from benchmark.submissions.visibility import served_body
from extensions.verify.measure import bundle
from extensions.verify.measure.crate import About
from tasks.errors import InputError
from tasks.results import Report

ANOTHER_KEY = "bundles that the old one signed then no longer verify by the site's key."


def signing_key() -> Ed25519PrivateKey:
    """The private key: the SHA-256 of a secret, so that it can also be set as text."""
    secret = env_secret("VECBOARD_SIGNING_KEY", generated_in=storage.signing_key_file(), with_another=ANOTHER_KEY)
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(secret.encode()).digest())


@require_safe
def public_key(request: HttpRequest) -> HttpResponse:
    """The public key as PEM."""
    return revalidated_page(request, HttpResponse(bundle.pem(signing_key().public_key()), content_type="text/plain"))


@require_safe
def bundle_file(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The bundle of the current report."""
    submission = access_of(request, submission_id).submission
    if submission.report is None:
        raise Http404("There is no report yet.")
    return bundle_of(request, submission)


def bundle_of(request: HttpRequest, submission: Submission) -> HttpResponse:
    """A signed bundle of the current report, under its public name."""
    stored, is_open = submission.report, submission.is_open_to_all
    assert stored is not None
    about = submission.display_name, submission.author, submission.facts.authors
    etag = f"{stored.etag}-{hashlib.sha256(repr(about).encode()).hexdigest()[:16]}"
    if is_open and (unchanged := revalidated(request, HttpResponse(), etag)).status_code == 304:
        return unchanged
    report = with_outcomes(submission, Report.from_json(served_body(submission, stored)))
    address = request.build_absolute_uri(reverse("reports:report", args=[submission.pk]))
    file = io.BytesIO()
    try:
        bundle.write(file, report, About(stored.created_at.date(), address, *about[1:]), signing_key())
    except InputError as error:
        raise Http404(f"There is no bundle. {error}") from None
    response = HttpResponse(file.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="vecboard-{submission.pk}.zip"'
    return revalidated(request, response, etag) if is_open else kept_if_open(request, response, is_open=False)


app_name = "verify"
urlpatterns = [
    path("signing-key.pem", public_key, name="signing-key"),
    path("r/<slug:submission_id>/bundle.zip", bundle_file, name="bundle"),
]
