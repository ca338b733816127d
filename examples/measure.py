"""What Vecboard does to one vector file, on one page: ``python examples/measure.py vectors.txt.gz``.

Everything that the site computes for the suite *demo* is written out below, with NumPy, SciPy and torch alone, for two
networks and both kinds of word task, with fixed vectors. From the product come only data: the test sets, and the
published scores that error reductions are relative to. It prints the rows that this command prints:

    python -m tasks evaluate vectors.txt.gz --suite demo --mode fixed \
        --task pos,chunk,sentiment,questions,sim-ws-353-all,sim-simlex-999,analogy-google

Read it from top to bottom. Numbers after § are sections of docs/protocol.md.
"""

from __future__ import annotations

import copy
import gzip
import hashlib
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy import stats
from torch import nn

from tasks.baseline.published import published, seed_variances
from tasks.datasets.store import DataStore
from tasks.suites import DEMO

DATA, BASELINE, SEED_VARIANCES = DataStore.default(), published(DEMO), seed_variances(DEMO)
SEEDS, PATIENCE = (0, 1), 3
TRAINED = {  # task: network, learning rate, batch, most epochs, most words of a text (§2.5)
    "pos": ("window", 3e-3, 128, 12, None),
    "chunk": ("window", 3e-3, 128, 12, None),
    "sentiment": ("sentence", 1e-2, 64, 20, 50),
    "questions": ("sentence", 1e-2, 64, 20, 30),
}
SIMILARITY = {"sim-ws-353-all": "demo-wordsim", "sim-simlex-999": "demo-simlex"}
PAD, UNK, SPECIAL = 0, 1, 2


@dataclass
class Row:
    """A row of the table: a score, and what its uncertainty follows from.

    ``effects`` are those of the test examples on the score: by how much it changes, to first order, when an example
    counts for more. ``units`` are what the examples share and a new test set would draw: texts, blocks, words.
    """

    task: str
    metric: str
    score: float
    coverage: float
    effects: np.ndarray
    units: Sequence[tuple]
    weights: np.ndarray
    of_seeds: tuple[float, ...] = ()
    counted: str = ""
    chance: str = ""
    interval: tuple[float, float] | None = None
    baseline: float | None = None
    reduction: float | None = None
    tested: int = 0


# 1. The file: a word and its numbers on every line (§1.2). Of equal words the first counts, and no row of zeros does.
def read(path: Path) -> tuple[dict[str, int], np.ndarray]:
    """The row of every word, and the vectors, shape (words, dimensions)."""
    lines = (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8").read().splitlines()
    vectors: dict[str, np.ndarray] = {}
    for line in lines[len(lines[0].split(" ")) == 2 :]:  # a first line of two numbers is the file's size
        word, *numbers = line.rstrip(" ").split(" ")
        vector = np.array(numbers, dtype=np.float32)
        if word not in vectors and vector.any():
            vectors[word] = vector
    return {word: row for row, word in enumerate(vectors)}, np.stack(list(vectors.values()))


# 2. Look-up: as written, lower-cased, Capitalised, and the same with every digit as 0; the first that is there (§1.6).
def look_up(rows: dict[str, int], word: str) -> int | None:
    cases = (word, word.lower(), word.capitalize())
    digits = tuple("".join("0" if letter.isdigit() else letter for letter in form) for form in cases)
    return next((rows[form] for form in cases + digits if form in rows), None)


# 3. Word similarity: do cosines rank pairs of words as people do? Spearman's ρ over the pairs with both words (§4.1).
def similarity(task: str, index: dict[str, int], matrix: np.ndarray) -> Row:
    scores = {(pair.first, pair.second): pair.score for pair in DATA.load(SIMILARITY[task])["all"]}
    rows = {pair: tuple(look_up(index, word) for word in pair) for pair in scores}
    pairs = [pair for pair in scores if None not in rows[pair]]
    first, second = matrix[np.array([rows[pair] for pair in pairs]).T].astype(np.float64)
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines = np.einsum("ij,ij->i", first, second) / lengths
    people = np.array([scores[pair] for pair in pairs])
    rho = float(stats.spearmanr(cosines, people).statistic)
    has_vector = [row is not None for pair in scores for row in rows[pair]]
    units = [tuple(word.lower() for word in pair) for pair in pairs]  # pairs that share a word aren't independent
    row = Row(task, "spearman", rho, np.mean(has_vector), fisher_effects(cosines, people), units, np.ones(len(pairs)))
    row.counted, row.chance = f"{len(pairs)} of {len(scores)}", f"±{1.959964 / math.sqrt(len(pairs) - 1):.3f}"
    low, high = interval(math.atanh(rho), *error_of_examples(row.effects, row.units, row.weights))
    row.interval = math.tanh(low), math.tanh(high)  # symmetric on Fisher's scale, artanh ρ
    return row


def fisher_effects(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Effects of pairs on artanh ρ (§8.2). ρ is made of shares of pairs below a value, which every pair changes too."""
    n = len(x)
    below_x, below_y = ((stats.rankdata(values) - 0.5) / n for values in (x, y))
    above_x, above_y = ((np.sign(v[None, :] - v[:, None]) + 1) / 2 / n for v in (x, y))  # 1, ½ or 0, over n

    def effects(a: np.ndarray, b: np.ndarray, above_a: np.ndarray, above_b: np.ndarray) -> np.ndarray:
        return a * b + above_a @ b + above_b @ a - 3 * np.mean(a * b)

    variance_x, variance_y = np.mean(below_x**2) - 0.25, np.mean(below_y**2) - 0.25
    scale = math.sqrt(variance_x * variance_y)
    rho = (np.mean(below_x * below_y) - 0.25) / scale
    of_x, of_y = (effects(b, b, a, a) for b, a in ((below_x, above_x), (below_y, above_y)))
    of_rho = effects(below_x, below_y, above_x, above_y) / scale - rho / 2 * (of_x / variance_x + of_y / variance_y)
    return of_rho / (1 - rho**2) / n


# 4. Analogies: a is to b as c is to …? The word with the largest cos(b) + cos(c) − cos(a), other than these (§4.2).
def analogies(index: dict[str, int], matrix: np.ndarray) -> Row:
    questions = DATA.load("demo-analogy")["questions-words"]
    rows = [[look_up(index, word) for word in question[1:]] for question in questions]
    doubles = matrix.astype(np.float64)
    unit = (doubles / np.linalg.norm(doubles, axis=1, keepdims=True)).astype(np.float32)
    is_known = np.array([None not in four for four in rows])
    right = np.zeros(len(questions))
    for i in np.flatnonzero(is_known):
        a, b, c, d = rows[i]
        sums = (unit @ unit[b] - unit @ unit[a]) + unit @ unit[c]
        sums[[a, b, c]] = -np.inf
        right[i] = sums.argmax() == d
    score = right.sum() / is_known.sum()
    # Thousands of questions combine a few hundred word pairs. Each category has a fixed number of them, so only
    # differences within a category are left to chance: its mean is taken from the effects.
    units = [tuple((q.category, frozenset(pair)) for pair in ((q.a, q.b), (q.c, q.d))) for q in questions]
    effects = (right - score * is_known) / is_known.sum()
    for category in {question.category for question in questions}:
        of_it = np.array([question.category == category for question in questions])
        if is_known[of_it].any():
            effects[of_it] -= is_known[of_it] * effects[of_it].sum() / is_known[of_it].sum()
        pairs = len({unit for i in np.flatnonzero(of_it) for unit in units[i]})
        effects[of_it] *= math.sqrt(pairs / max(pairs - 2, 1))
    has_vector = [row is not None for four in rows for row in four]
    row = Row("analogy-google", "precision at 1", score, np.mean(has_vector), effects, units, is_known.astype(float))
    row.interval = interval(score, *error_of_examples(row.effects, row.units, row.weights))
    return row


# 5. The networks (§2.1). Random numbers depend on the task, the mode and the seed, by name, and on nothing else (§2.4).
def random_numbers(task: str, name: object) -> np.random.Generator:
    key = hashlib.sha256(f"{task}|fixed|{name}".encode()).digest()
    return np.random.default_rng(np.frombuffer(key, dtype=np.uint32))


def glorot(draw: np.random.Generator, rows: int, columns: int) -> nn.Parameter:
    bound = math.sqrt(6 / (rows + columns))
    return nn.Parameter(torch.from_numpy(draw.uniform(-bound, bound, (rows, columns)).astype(np.float32)))


def orthogonal(draw: np.random.Generator, size: int) -> torch.Tensor:
    q, r = np.linalg.qr(draw.standard_normal((size, size)))
    return torch.from_numpy((q * np.sign(np.diag(r))).astype(np.float32))


class Window(nn.Module):
    """The class of a token from its vector and those of two words on either side: 50 hidden units, dropout ½."""

    def __init__(self, draw: np.random.Generator, dimensions: int, classes: int) -> None:
        super().__init__()
        self.first, self.first_bias = glorot(draw, 5 * dimensions, 50), nn.Parameter(torch.zeros(50))
        self.second, self.second_bias = glorot(draw, 50, classes), nn.Parameter(torch.zeros(classes))
        self.masked = 50

    def forward(self, vectors: torch.Tensor, lengths: torch.Tensor, mask: torch.Tensor | float) -> torch.Tensor:
        hidden = torch.tanh(torch.addmm(self.first_bias, vectors.flatten(start_dim=1), self.first))
        return torch.addmm(self.second_bias, hidden * mask, self.second)


class Sentence(nn.Module):
    """The class of a text from the state of an LSTM after its last word: as wide as the vectors, dropout ½."""

    def __init__(self, draw: np.random.Generator, dimensions: int, classes: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(dimensions, dimensions, batch_first=True)
        self.lstm.weight_ih_l0 = nn.Parameter(torch.cat([glorot(draw, dimensions, dimensions) for _ in range(4)]))
        self.lstm.weight_hh_l0 = nn.Parameter(torch.cat([orthogonal(draw, dimensions) for _ in range(4)]))
        forget = torch.zeros(4 * dimensions)
        forget[dimensions : 2 * dimensions] = 1  # at first the LSTM remembers
        self.lstm.bias_ih_l0 = nn.Parameter(forget)
        self.lstm.bias_hh_l0 = nn.Parameter(torch.zeros(4 * dimensions), requires_grad=False)  # one bias is enough
        self.dense, self.dense_bias = glorot(draw, dimensions, classes), nn.Parameter(torch.zeros(classes))
        self.masked = dimensions

    def forward(self, vectors: torch.Tensor, lengths: torch.Tensor, mask: torch.Tensor | float) -> torch.Tensor:
        states, _ = self.lstm(vectors)
        return torch.addmm(self.dense_bias, states[torch.arange(len(states)), lengths - 1] * mask, self.dense)


@dataclass
class Part:
    """Train, dev or test.

    ``ids`` are rows of the table, shape (examples, words), with ``lengths`` words each; ``classes`` the right answers;
    ``sizes`` the numbers of examples in each sentence of tagged tokens, or 1 for each text.
    """

    ids: np.ndarray
    lengths: np.ndarray
    classes: np.ndarray
    sizes: list[int]

    def batches(self, order: np.ndarray, size: int) -> Iterator[tuple[slice, torch.Tensor, torch.Tensor]]:
        """Places in the order, rows and lengths; texts are cut to the longest of their batch."""
        for start in range(0, len(order), size):
            chosen = order[start : start + size]
            yield (
                slice(start, start + size),
                torch.from_numpy(self.ids[chosen, : self.lengths[chosen].max()]),
                torch.from_numpy(self.lengths[chosen]),
            )


# 6. Training: Adam; an epoch's order and dropout masks are drawn together. A seed stops after three epochs without a
# better dev score, and its best epoch's weights predict (§2.4). Test is read once, at the end.
def train(task: str, table: torch.Tensor, parts: dict[str, Part], classes: int, seed: int) -> np.ndarray:
    kind, rate, batch, epochs, _ = TRAINED[task]
    draw, shared, part = random_numbers(task, seed), random_numbers(task, "order of batches"), parts["train"]
    model = (Window if kind == "window" else Sentence)(draw, table.shape[1], classes)
    optimiser = torch.optim.Adam([weight for weight in model.parameters() if weight.requires_grad], lr=rate)
    best, best_epoch, weights = -1.0, 0, {}
    for epoch in range(1, epochs + 1):
        order, bits = draw.permutation(len(part.ids)), -(-model.masked // 8)
        masks = np.frombuffer(draw.bytes(len(order) * bits), dtype=np.uint8).reshape(-1, bits)
        masks = 2 * np.unpackbits(masks, axis=1, count=model.masked).astype(np.float32)
        order = by_length(part, order)
        batches = list(part.batches(order, batch))
        if kind == "sentence":  # batches of similar lengths, in one order for all seeds
            batches = [batches[i] for i in shared.permutation(len(batches))]
        for places, ids, lengths in batches:
            logits = model(table[ids], lengths, torch.from_numpy(masks[places]))
            loss = nn.functional.cross_entropy(logits, torch.from_numpy(part.classes[order[places]]))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        dev = float(np.mean(predict(model, table, parts["dev"]) == parts["dev"].classes))
        if dev > best:
            best, best_epoch, weights = dev, epoch, copy.deepcopy(model.state_dict())
        if epoch - best_epoch >= PATIENCE:
            break
    model.load_state_dict(weights)
    return predict(model, table, parts["test"])


def by_length(part: Part, order: np.ndarray) -> np.ndarray:
    return order[np.argsort(part.lengths[order], kind="stable")]


@torch.no_grad()
def predict(model: nn.Module, table: torch.Tensor, part: Part) -> np.ndarray:
    order = by_length(part, np.arange(len(part.ids)))
    logits = [model(table[ids], lengths, 1.0) for _, ids, lengths in part.batches(order, 128)]
    predicted = np.empty(len(order), dtype=np.int64)
    predicted[order] = torch.cat(logits).argmax(dim=1).numpy()
    return predicted


# 7. One trained task: vectors scaled so that all numbers together have the standard deviation 0.1 (§1.8), the mean
# vector for unknown words (§1.7), every seed trained, and the accuracy of test: the share of right tokens or texts.
def trained(task: str, index: dict[str, int], matrix: np.ndarray) -> Row:
    numbers = matrix.astype(np.float64)
    deviation = math.sqrt(np.square(numbers).mean() - numbers.mean() ** 2)
    scaled = 0.1 / deviation * np.vstack([np.zeros_like(numbers[0]), numbers.mean(axis=0), numbers])
    table = torch.from_numpy(scaled.astype(np.float32))
    examples, limit = DATA.load(f"demo-{task}"), TRAINED[task][-1]
    is_tagged = TRAINED[task][0] == "window"
    labels = sorted({tag for part in examples.values() for e in part for tag in (e.tags if is_tagged else [e.label])})
    parts = {}
    for name, of_part in examples.items():
        texts = [[look_up(index, word) for word in example.words[:limit]] for example in of_part]
        texts = [[UNK if row is None else row + SPECIAL for row in text] for text in texts]
        sizes = [len(text) for text in texts] if is_tagged else [1] * len(texts)
        tags = [tag for example in of_part for tag in (example.tags if is_tagged else [example.label])]
        if is_tagged:  # an example is a token with its window
            around = [[PAD, PAD, *text, PAD, PAD] for text in texts]
            texts = [text[i : i + 5] for text in around for i in range(len(text) - 4)]
        lengths = np.array([len(text) for text in texts])
        ids = np.array([text + [PAD] * (lengths.max() - len(text)) for text in texts])
        parts[name] = Part(ids, lengths, np.array([labels.index(tag) for tag in tags]), sizes)
    test = parts["test"]
    right = np.stack([train(task, table, parts, len(labels), seed) == test.classes for seed in SEEDS])
    of_sentence = np.add.reduceat(right.mean(axis=0), np.cumsum([0, *test.sizes[:-1]]))
    sizes = np.array(test.sizes, dtype=float)
    score = float(right.mean(axis=1).mean())
    units = [(i // 25 if is_tagged else i,) for i in range(len(sizes))]  # neighbours are alike: blocks of 25 sentences
    of_test = test.ids[:, 2] if is_tagged else test.ids[test.ids != PAD]
    row = Row(task, "accuracy", score, np.mean(of_test != UNK), share_effects(of_sentence, sizes), units, sizes)
    row.of_seeds, row.tested = tuple(right.mean(axis=1)), len(test.ids)
    return row


def share_effects(right: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return (right - right.sum() / sizes.sum() * sizes) / sizes.sum()


# 8. Standard errors. Examples that share a unit are right or wrong together, so their effects are added before squares
# are; two examples with the same two units were then counted twice (§8.2). G is the effective number of units.
def error_of_examples(effects: np.ndarray, units: Sequence[tuple], weights: np.ndarray) -> tuple[float, float]:
    of_unit, of_pair, weight = defaultdict(float), defaultdict(float), defaultdict(float)
    for effect, held, counted in zip(effects, map(frozenset, units), weights, strict=True):
        for unit in held:
            of_unit[unit] += effect
            weight[unit] += counted
        if len(held) == 2:
            of_pair[held] += effect
    squares = sum(total**2 for total in of_unit.values()) - sum(total**2 for total in of_pair.values())
    if of_pair:
        squares = max(squares, float(np.square(effects).sum()))
    heavy = np.array(list(weight.values()))
    g = np.square(heavy).sum() ** 2 / (heavy**4).sum()
    return squares * g / (g - 1), g - 1


def error_of_seeds(task: str, scores: Sequence[float]) -> float:
    """Variance of a mean over seeds: the published one of a seed, or more if these seeds differ more (§8.3)."""
    usual, here = SEED_VARIANCES.cells[f"{task}.fixed"].variance, np.var(scores, ddof=1)
    factor = (stats.t.ppf(0.95, len(scores) - 1) / stats.norm.ppf(0.95)) ** 2
    return (usual + factor * max(0.0, here - usual)) / len(scores)


def interval(value: float, variance: float, freedom: float, of_seeds: float = 0.0) -> tuple[float, float]:
    """Value ± Student's t · SE; seeds count with infinite degrees of freedom."""
    error = math.sqrt(variance + of_seeds)
    half = stats.t.ppf(0.975, freedom * ((variance + of_seeds) / variance) ** 2) * error
    return value - half, value + half


# 9. Error reduction: the share of the baseline's errors that these vectors avoid, (s − b) / (1 − b). Both make their
# errors on the same examples, so their effects are subtracted before they are squared (§3.4, §8.1).
def compare(row: Row) -> None:
    base = BASELINE.result(row.task, "fixed")
    s, b = row.score, base.score
    effects_of_base = share_effects(
        base.outcomes.column("correct").astype(float), base.outcomes.column("total").astype(float)
    )
    seeds = [of_seed["test"] for of_seed in base.training["seeds"]]
    row.baseline, row.reduction = b, (s - b) / (1 - b)
    row.effects = row.effects / (1 - b) - effects_of_base * (1 - s) / (1 - b) ** 2
    of_row, of_base = error_of_seeds(row.task, row.of_seeds), error_of_seeds(row.task, seeds)
    of_seeds = of_row / (1 - b) ** 2 + of_base * (1 - s) ** 2 / (1 - b) ** 4
    row.interval = interval(row.reduction, *error_of_examples(row.effects, row.units, row.weights), of_seeds)


# 10. Means over trained tasks: of error reductions, and of their logarithms, where halving the errors of one task and
# doubling those of another cancel. The board ranks by one of them (§3.5); a score without an error has half of one.
def means(rows: Sequence[Row]) -> tuple[float, float]:
    ratios = [math.log((1 - row.baseline) / max(1 - row.score, 0.5 / row.tested)) for row in rows]
    return float(np.mean([row.reduction for row in rows])), -math.expm1(-float(np.mean(ratios)))


def measure(path: Path, note: Callable[[str], None] = lambda task: None) -> list[Row]:
    index, matrix = read(path)
    rows = []
    for task in (*TRAINED, *SIMILARITY, "analogy-google"):
        note(task)
        if task in TRAINED:
            rows.append(trained(task, index, matrix))
            compare(rows[-1])
        else:
            rows.append(similarity(task, index, matrix) if task in SIMILARITY else analogies(index, matrix))
    return rows


def cells(row: Row) -> tuple[str, ...]:
    base = BASELINE.result(row.task, "fixed" if row.of_seeds else None)
    factor, form = (100, "+.2f") if row.of_seeds else (1, ".4f")
    low, high = (format(factor * end, form) for end in row.interval)
    return (
        row.task, "fixed" if row.of_seeds else "", row.metric, f"{row.score:.4f}",
        f"{np.std(row.of_seeds, ddof=1):.4f}" if row.of_seeds else "–", row.chance, row.counted, f"{base.score:.4f}",
        f"{100 * row.reduction:+.2f}" if row.of_seeds else "–", f"{low} to {high}", f"{100 * row.coverage:.1f}",
    )  # fmt: skip


HEAD = ("task", "mode", "metric", "score", "sd", "by chance", "known", "baseline", "RER %", "95 %", "coverage")


def printed(rows: Sequence[Row]) -> str:
    lines = [HEAD, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    arithmetic, geometric = means([row for row in rows if row.of_seeds])
    return "\n".join(
        [
            *("  ".join(map(str.rjust, line, widths)) for line in lines),
            f"\nmean relative error reduction of these tasks, fixed: {100 * arithmetic:+.2f}",
            f"the same, geometric: {100 * geometric:+.2f}",
        ]
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(printed(measure(Path(sys.argv[1]), lambda task: print(task, file=sys.stderr))))
