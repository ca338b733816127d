"""Measurements of the source outside its grid: published vectors (§6.2), separability (app. C), parties (app. D)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np

from extensions.associations.measure.groups import split_documents
from extensions.associations.measure.subgroups import compare_subgroups
from extensions.shared.measure.corpora import corpus, documents_corpus
from extensions.shared.measure.documents import collection
from extensions.training.measure.tagging import TAGGED_WORDS, tagged_lines, tagging
from research.study.run import Cues, Say, Trainer, compare_settings, rounded, similarities_of
from research.study.store import LOCAL, PARTIES, PARTY_PLAN, PUBLISHED, SEPARATED, Job, Results, chosen, key
from tasks.datasets.store import DataStore
from tasks.files import whole
from tasks.formats import read
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.plan import Plan
from tasks.local_training.train import train_runs
from tasks.political.separability import separability
from tasks.vectors import Embedding
from vecboard import ClientError
from vecboard.fetch import save_public


def trainings(results: Results, store: DataStore, cues: Cues) -> Mapping[str, Callable[[], None]]:
    """The trainings that the missing measurements need, by name, without those that are stored on this machine."""
    trainer, local = Trainer(results, store, cues), chosen(LOCAL, "glove")
    every: dict[str, Callable[[], None]] = {
        **{f"separability-{plan.name}": partial(_separate, plan, results, store) for plan in SEPARATED},
        **{f"published-{s.id}": partial(trainer, Job(s, 0)) for s in local if results.run(s, 0) is None},
        **{
            f"party-{party}": partial(_train_party, party, results, store)
            for party in PARTIES
            if not _vectors(results, party).is_file()
        },
    }
    return {name: every[name] for name in results.missing() if name in every}


def _separate(plan: Plan, results: Results, store: DataStore) -> None:
    """Train on the tagged text, and measure how far its marked words are from others."""
    lines = corpus(LOCAL, store).read
    tagged = list(tagged_lines(lines, tagging(lines, minimum_count=plan.minimum_count)))
    text = TrainingCorpus(LOCAL, f"{LOCAL}, tagged", "", lambda: ([line] for line in tagged))
    separation = separability(next(train_runs(text, plan)).embedding, TAGGED_WORDS)
    results.write("separability", (results.read("separability") or {}) | {plan.name: rounded(asdict(separation))})


def _train_party(party: str, results: Results, store: DataStore) -> None:
    """Train on one party's documents and keep the vectors for the comparison with the other's."""
    documents = split_documents(collection(LOCAL, store).documents, "party")[party]
    embedding = next(train_runs(documents_corpus(LOCAL, party, "", documents), PARTY_PLAN)).embedding
    with whole(_vectors(results, party)) as unfinished, unfinished.open("wb") as file:
        np.savez(file, words=np.array(list(embedding.words)), vectors=embedding.matrix)


def _vectors(results: Results, name: str) -> Path:
    return results.work / f"{name}.npz"


def compare_published(results: Results, cues: Cues, say: Say) -> None:
    """Compare the published vectors with the settings and parties that have not been compared with them.

    Of a setting, its first run is compared.
    """
    pairs = results.read("pairs") or {}
    trained = {setting: run for setting in chosen(LOCAL, "glove") if (run := results.run(setting, 0)) is not None}
    missing = {setting: run for setting, run in trained.items() if key(setting, PUBLISHED) not in pairs}
    parties = [_vectors(results, party) for party in PARTIES]
    ready = results.read("parties") is None and all(path.is_file() for path in parties)
    if not (missing or ready):
        return
    path = _vectors(results, PUBLISHED.id)
    try:
        if not path.is_file():
            save_public(PUBLISHED.id, path)
    except ClientError as error:
        say(f"Nothing was compared with {PUBLISHED.id}: {error}")
        return
    embedding = read(path)
    similarities = similarities_of(embedding, cues)
    pairs |= {key(setting, PUBLISHED): compare_settings(run[1], similarities, cues) for setting, run in missing.items()}
    results.write("pairs", dict(sorted(pairs.items())))
    if ready:
        _compare_parties(embedding, dict(zip(PARTIES, map(read, parties), strict=True)), results, cues)


def _compare_parties(published: Embedding, parties: Mapping[str, Embedding], results: Results, cues: Cues) -> None:
    """Correlation of each party's vectors with the published ones, on the words common to all, by set of cues."""
    groups = {party: [embedding] for party, embedding in parties.items()}
    by_cues = {name: compare_subgroups(groups, published, words) for name, words in cues.items()}
    figures = {
        name: {
            "groups": {party: rounded({**summary}) for party, summary in compared.groups.items()},
            "difference": rounded(asdict(compared.differences[0])),
            "common_words": compared.common_words,
        }
        for name, compared in by_cues.items()
    }
    results.write("parties", figures)
