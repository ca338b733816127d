"""Tests of locks, JSON, constraints and deletions, again over PostgreSQL; all others run over SQLite."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAME_TESTS = {
    "tests/benchmark/accounts/test_outbox.py": (  # bytes of messages, deleted with their jobs
        "test_a_worker_sends_the_message_and_deletes_it",
        "test_a_deleted_account_leaves_no_mail",
        "test_records_of_unsent_mail_are_deleted_after_a_month",
    ),
    "tests/benchmark/leaderboard/test_computing.py": (  # the latest row of each version; locks by name
        "test_entries_that_noise_may_tell_apart_share_their_places",
        "test_a_newer_report_takes_the_place_of_the_older_one",
        "test_only_the_current_board_and_those_of_permanent_links_are_stored",
        "test_a_report_finished_while_a_board_is_computed_makes_it_due",
    ),
    "tests/benchmark/test_rows.py": (),  # rows that PostgreSQL itself refuses; JSON as text, and numbers out of it
    "extensions/metrics/tests/test_metrics.py": ("test_metrics_match_the_rows",),  # durations, and reasons out of JSON
    "tests/benchmark/operations/test_page_jobs.py": (  # locks by name; keys as text
        "test_a_flood_of_different_requests_leaves_a_bounded_number_of_messages_and_rows",
        "test_the_same_request_twice_is_one_row_and_one_message",
        "test_comparisons_no_longer_requested_are_deleted",
    ),
    "tests/benchmark/operations/test_quotas.py": (  # tickets that outlive their submissions
        "test_deleting_an_entry_does_not_reset_the_quota",
        "test_a_deleted_entry_s_ticket_is_forgotten_after_the_day",
        "test_a_tickets_counts_never_decrease",
    ),
    "tests/benchmark/submissions/test_sending.py": (  # two finishes at once, under the lock of their sender
        "test_of_two_connections_that_send_the_same_piece_one_writes",
        "test_an_upload_that_is_cancelled_while_it_is_finished_leaves_no_file",
        "test_two_requests_that_finish_an_upload_at_once_both_succeed",
    ),
    "extensions/people/tests/test_association_session.py": (  # owner of a session, under the lock of the study
        "test_the_same_page_sent_twice_counts_once",
        "test_the_list_is_by_mentions_of_those_who_finished",
        "test_a_person_who_did_one_task_cannot_do_the_other",
        "test_a_form_sent_again_after_a_lost_answer_goes_on_with_the_session_that_it_began",
    ),
    "extensions/people/tests/test_life_of_a_study.py": (  # rows deleted with a study
        "test_a_rater_who_comes_after_the_forgetting_is_forgotten_after_the_closing",
        "test_an_owner_deletes_a_study_with_all_of_its_answers",
        "test_an_account_is_deleted_with_or_without_its_studies",
    ),
}
"""Tests by file; no names stand for all tests of a file."""

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def test_they_pass_over_postgresql(database_url: str, tmp_path: Path) -> None:
    own = {"DATABASE_URL": database_url, "VECBOARD_VAR": str(tmp_path), "REDIS_URL": ""}
    tests = [f"{file}::{name}" if name else file for file, names in SAME_TESTS.items() for name in names or ("",)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--create-db", "--reuse-db", *tests]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 45
    assert "skipped" not in done.stdout
    # --reuse-db leaves their database behind, which shows that they did not fall back to SQLite.
    name = urlsplit(database_url).path.strip("/")
    with psycopg.connect(database_url.replace(f"/{name}", f"/test_{name}")) as connection:
        found = connection.execute("SELECT count(*) FROM django_migrations").fetchone()
    assert found is not None
    assert found[0] > 20
