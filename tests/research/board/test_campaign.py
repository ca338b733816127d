"""The whole path on a real site: an existing file is submitted once, followed, and not submitted again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.shipped.trained import TrainedEntry, place
from research.board.campaign import Campaign, NoSite, check_suite
from tasks.suites import DEMO, OPEN_2026
from tests.workers.running_site import Site, small_file
from vecboard import Client, Keyring

ENTRY = TrainedEntry("skip-gram", 50, 5)
CRITERIA = '{"algorithm": "skip-gram", "corpus": "A text", "window": 5, "loss": 0.25, "tokens": 9, "minutes": 1.5}'


@pytest.fixture
def site(web_site: Site) -> Site:
    return web_site


@pytest.fixture
def client(site: Site, tmp_path: Path) -> Iterator[Client]:
    with Client(f"http://127.0.0.1:{site.port}", keyring=Keyring(tmp_path / "keyring.json")) as client:
        yield client


@pytest.fixture
def campaign(client: Client, tmp_path: Path) -> Campaign:
    made = place(ENTRY, tmp_path)
    shutil.copy(small_file(), made.vectors)
    made.criteria.write_text(CRITERIA)
    return Campaign(DEMO, [ENTRY], client, tmp_path, print)


def test_an_existing_file_is_submitted_with_its_criteria_and_commands(campaign: Campaign, site: Site) -> None:
    campaign._submit(ENTRY)
    query = "select name, track, window, training_minutes, description from submissions_submission"
    name, track, window, minutes, description = site.rows(query)[-1]
    assert (name, track, window, minutes) == (ENTRY.title, "prescribed", 5, 1.5)
    assert "python -m research.board vectors skip-gram-w5-d50 --suite demo" in description


def test_a_second_campaign_knows_what_the_first_submitted(campaign: Campaign, client: Client, tmp_path: Path) -> None:
    campaign._submit(ENTRY)
    again = Campaign(DEMO, [ENTRY], client, tmp_path, print)
    assert again.standing(ENTRY).state not in ("to train", "to submit")
    assert again.left().startswith("0 of 1 entries done; 1 ")
    assert again.left().endswith("more minutes on this machine.")


def test_a_submission_that_the_site_forgot_is_to_be_made_again(campaign: Campaign) -> None:
    campaign._write({ENTRY.id: "abcdefghijkl"})
    assert campaign.standing(ENTRY).state == "to submit"


def test_a_shipped_entry_that_the_server_has_is_not_made_again(
    campaign: Campaign, client: Client, tmp_path: Path
) -> None:
    campaign._submit(ENTRY)
    shipped = {ENTRY.title: campaign._read()[ENTRY.id]}
    elsewhere = Campaign(DEMO, [ENTRY], client, tmp_path / "elsewhere", print, shipped=shipped)
    assert elsewhere.standing(ENTRY).state == campaign.standing(ENTRY).state
    gone = Campaign(DEMO, [ENTRY], client, tmp_path / "elsewhere", print, shipped={ENTRY.title: "abcdefghijkl"})
    assert gone.standing(ENTRY).state == "to train"


def test_an_entry_without_a_file_is_to_be_trained(client: Client, tmp_path: Path) -> None:
    assert Campaign(DEMO, [ENTRY], client, tmp_path / "empty", print).standing(ENTRY).state == "to train"


def test_a_failed_training_does_not_affect_other_entries(
    campaign: Campaign, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = TrainedEntry("glove", 7, 3)  # an entry unknown to the program
    both = Campaign(DEMO, [unknown, ENTRY], client, tmp_path, print)
    monkeypatch.setattr(both, "_follow", both.standings)
    failed, other = both.run()
    assert (failed.state, other.state) == ("to train", "uploaded")
    assert "training failed" in failed.message


def test_a_rejected_file_is_submitted_again_by_the_next_run(campaign: Campaign, site: Site) -> None:
    campaign._submit(ENTRY)
    before = campaign._read()[ENTRY.id]
    site.end(before, "rejected")
    (standing,) = campaign.standings()
    campaign._try_again(standing)
    assert campaign.standing(ENTRY).state == "to submit"
    campaign._begin(ENTRY)
    assert campaign._read()[ENTRY.id] != before


def test_an_entry_that_ships_and_failed_there_is_submitted_again(
    campaign: Campaign, client: Client, site: Site, tmp_path: Path
) -> None:
    campaign._submit(ENTRY)
    failed = campaign._read()[ENTRY.id]
    site.end(failed, "failed")
    with Client(client.server, keyring=Keyring(tmp_path / "nobody.json")) as stranger:
        again = Campaign(DEMO, [ENTRY], stranger, tmp_path / "again", print, shipped={ENTRY.title: failed})
        again.directory.mkdir()
        (standing,) = again.standings()
        again._try_again(standing)
        assert (standing.state, again.standing(ENTRY).state) == ("failed", "to train")


def test_a_site_with_another_suite_gets_nothing(client: Client) -> None:
    check_suite(client, DEMO)
    with pytest.raises(NoSite, match=r"uses the suite demo, not open-2026\. .*VECBOARD_SUITE=open-2026"):
        check_suite(client, OPEN_2026)
    with pytest.raises(NoSite, match="Use the same version"):
        check_suite(client, replace(DEMO, version=99))


@pytest.mark.slow
def test_it_follows_its_entries_to_the_end(campaign: Campaign, site: Site) -> None:
    site.start_worker()
    (standing,) = campaign.run()
    assert standing.state == "done"
    assert campaign.left() == "1 of 1 entries done; nothing is left."
