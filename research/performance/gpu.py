"""A GPU worker's work, measured on this machine: ``python -m research.performance.gpu --out gpu.json``.

In this order, and saved after each part: kernels in a graph; every trained cell of the suite one after the other, with
its scores beside those of the published baseline, which a CPU measured; all cells 2, 4 and 8 at once, with a check that
each has the bits that it has alone; whether a step waits for the device; a whole report, with the word tasks on the
processor's cores. No part begins after ``--minutes``. Without a GPU nothing is measured, and the exit status is 2;
``--cpu`` tries the program on a CPU, with the demo suite.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from scipy.stats import ttest_ind

from research.performance.training import shortened, some_vectors
from research.performance.vectors import svd_ppmi
from research.performance.versions import versions
from tasks import suites
from tasks.baseline.published import published
from tasks.cells import Cell, evaluate_cell
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate, longest_first, select_cells
from tasks.extrinsic.examples import Key
from tasks.extrinsic.executor import Executor
from tasks.results import CellResult
from tasks.suite import Suite
from tasks.vectors import Embedding

AT_ONCE = (2, 4, 8)
IN_A_GRAPH = 20


def seeds_of(result: CellResult | None) -> list[float]:
    """Test scores by seed; empty without training."""
    return [] if result is None or result.training is None else [seed["test"] for seed in result.training["seeds"]]


def bits_of(result: CellResult) -> tuple[object, ...]:
    """Everything that training gave, to compare two trainings bit for bit."""
    outcomes = b"" if result.outcomes is None else result.outcomes.values.tobytes()
    seeds = [] if result.training is None else result.training["seeds"]
    return json.dumps(seeds), result.score, outcomes


@dataclass
class Measurement:
    """What is measured, and the results so far."""

    embedding: Embedding
    suite: Suite
    data: DataStore
    device: str
    seeds: int
    out: Path | None
    results: dict[str, object] = field(default_factory=dict)
    alone: dict[Cell, CellResult] = field(default_factory=dict)

    @property
    def cells(self) -> list[Cell]:
        """Trained cells, the longest first."""
        return [cell for cell in longest_first(self.suite, select_cells(self.suite)) if cell[1] is not None]

    def run(self, cell: Cell) -> CellResult:
        task, mode = cell
        how = {"data": self.data, "seeds": self.seeds, "device": self.device}
        return evaluate_cell(self.embedding, self.suite, self.suite.task(task), mode, **how)  # type: ignore[arg-type]

    def run_at_once(self, threads: int) -> list[CellResult]:
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self.run, self.cells))

    def save(self, part: str, figures: object) -> None:
        self.results[part] = figures
        if self.out is not None:
            self.out.write_text(json.dumps(self.results, indent=1, default=float) + "\n", encoding="utf-8")

    def rates(self) -> object:
        """Microseconds of kernels in a graph, and TFLOP/s of matrix products."""
        if self.device == "cpu":
            return None
        dimensions, rates = self.embedding.dimensions, {}
        numbers = torch.randn(1000, device="cuda")
        gates, c = (torch.randn(160, n * dimensions, device="cuda") for n in (4, 1))
        kernels: dict[str, Callable[[], object]] = {
            "addition of 1,000 numbers": lambda: numbers.add_(1.0),
            "LSTM cell": lambda: torch.ops.aten._thnn_fused_lstm_cell(gates, gates, c),
        }
        for name, kernel in kernels.items():
            rates[name] = in_a_graph(kernel)
            print(f"{name}: {rates[name]:.1f} µs")
        for name, rows, inner, columns in (
            ("window, first layer", 128, 5 * dimensions, 50),
            ("LSTM, 32 texts", 32, dimensions, 4 * dimensions),
            ("LSTM, inputs of 19 words", 608, dimensions, 4 * dimensions),
        ):
            left, right = (torch.randn(5, *shape, device="cuda") for shape in ((rows, inner), (inner, columns)))
            microseconds = in_a_graph(lambda a=left, b=right: torch.bmm(a, b))  # type: ignore[misc]
            rates[name] = 2 * left.numel() * columns / microseconds / 1e6
            print(f"{name}: {microseconds:.1f} µs, {rates[name]:.1f} TFLOP/s")
        return rates

    def one_by_one(self) -> object:
        """Every cell alone: seconds, score, and the CPU's."""
        baseline = published(self.suite, self.embedding.dimensions) if self.device != "cpu" else None
        same = baseline is not None and baseline.vectors["sha256"] == self.embedding.sha256
        print("The vectors are those of the published baseline." if same else "The vectors are not the baseline's.")
        began, rows = time.perf_counter(), []
        for cell in self.cells:
            result = self.alone[cell] = self.run(cell)
            ours, of_cpu = seeds_of(result), seeds_of(baseline.result(*cell) if baseline and same else None)
            row = {"cell": cell, "seconds": result.seconds, "score": result.score, "sd": result.sd, "seeds": ours}
            text = f"{cell[0]} {cell[1]}: {result.seconds:.2f} s, {result.score:.4f}"
            if len(ours) == len(of_cpu) > 1:
                row["difference"] = max(abs(a - b) for a, b in zip(ours, of_cpu, strict=True))
                row["p"] = float(ttest_ind(ours, of_cpu, equal_var=False).pvalue)
                text += (
                    f"; CPU {np.mean(of_cpu):.4f}, a seed differs by up to {row['difference']:.4f}, p {row['p']:.2f}"
                )
            print(text, flush=True)
            rows.append(row)
        wall = time.perf_counter() - began
        print(f"all cells one after the other: {wall:.1f} s", flush=True)
        return {"wall": wall, "cells": rows}

    def at_once(self) -> object:
        """All cells, several at once."""
        by_threads = {}
        for threads in AT_ONCE:
            began = time.perf_counter()
            results = self.run_at_once(threads)
            wall = time.perf_counter() - began
            pairs = [(self.alone.get(cell), result) for cell, result in zip(self.cells, results, strict=True)]
            same = sum(alone is not None and bits_of(alone) == bits_of(result) for alone, result in pairs)
            by_threads[threads] = {"wall": wall, "same bits": same, "cells": len(pairs)}
            print(f"{threads} cells at once: {wall:.1f} s; {same} of {len(pairs)} with the same bits", flush=True)
        return by_threads

    def waits(self) -> object:
        """Whether any step of the shortest cells makes the host wait for the device."""
        if self.device == "cpu":
            return None
        run = Executor.run

        def watched(executor: Executor, keys: Sequence[Key]) -> Iterator[int]:
            torch.cuda.set_sync_debug_mode("error")
            try:
                yield from run(executor, keys)
            finally:
                torch.cuda.set_sync_debug_mode("default")

        verdicts = {}
        Executor.run = watched  # type: ignore[method-assign, assignment]
        try:
            for cell in self.cells[-4:]:
                try:
                    self.run(cell)
                    verdicts[" ".join(map(str, cell))] = "no step waits"
                except RuntimeError as error:
                    verdicts[" ".join(map(str, cell))] = str(error)
        finally:
            Executor.run = run  # type: ignore[method-assign]
        print(verdicts, flush=True)
        return verdicts

    def report(self) -> object:
        """A whole report: trained cells six at once, and word tasks in processes meanwhile."""
        words = [task.id for task in self.suite.tasks if not task.extrinsic and not task.by_operator]
        began = time.perf_counter()
        with ThreadPoolExecutor(1) as beside:
            cores = os.cpu_count() or 1
            other = beside.submit(evaluate, self.embedding, self.suite, tasks=words, data=self.data, workers=cores)
            self.run_at_once(6)
            trained = time.perf_counter() - began
            other.result()
        wall = time.perf_counter() - began
        print(f"a whole report: {wall:.1f} s, its trained cells {trained:.1f} s", flush=True)
        return {"wall": wall, "trained": trained}


def in_a_graph(kernel: Callable[[], object], replays: int = 50) -> float:
    """Microseconds of a kernel as one of many in a CUDA graph."""
    with torch.cuda.stream(torch.cuda.Stream()):  # type: ignore[no-untyped-call]
        kernel()
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin()
        for _ in range(IN_A_GRAPH):
            kernel()
        graph.capture_end()
        graph.replay()
        first = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        last = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
        first.record()
        for _ in range(replays):
            graph.replay()
        last.record()
        last.synchronize()
        return float(first.elapsed_time(last)) / replays / IN_A_GRAPH * 1e3


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 2 if there is no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=7, help="no part begins later (default: %(default)s)")
    parser.add_argument("--directory", type=Path, help="keeps the trained vectors for the next run")
    parser.add_argument("--out", type=Path, help="results as JSON, saved after each part")
    parser.add_argument("--cpu", action="store_true", help="try the program on a CPU, with the demo suite")
    options = parser.parse_args(arguments)
    if not options.cpu and not torch.cuda.is_available():
        print("There is no GPU here that torch can use: nothing was measured.")
        return 2
    began, data = time.perf_counter(), DataStore.default()
    name = "a trial on the CPU" if options.cpu else torch.cuda.get_device_name()
    print(f"{name}, CUDA {torch.version.cuda}; {versions()}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        suite = shortened(suites.DEMO, epochs=2) if options.cpu else suites.OPEN_2026
        vectors = (
            some_vectors(suite, data, 5)
            if options.cpu
            else svd_ppmi(suite, data, options.dimensions, options.directory or Path(scratch))
        )
        seeds, device = (1, "cpu") if options.cpu else (suite.seeds, "cuda")
        it = Measurement(vectors, suite, data, device, seeds, options.out)
        it.save("device", name)
        for part in (it.rates, it.one_by_one, it.at_once, it.waits, it.report):
            if time.perf_counter() - began > 60 * options.minutes:
                print(f"{part.__name__}: there was no time left.")
                continue
            it.save(part.__name__, part())
    return 0


if __name__ == "__main__":
    sys.exit(main())
