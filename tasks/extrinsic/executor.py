"""Running the steps of a training on a device: the only part of a training that knows about CUDA.

On a CPU a step runs as it is. On a GPU launching a step's kernels takes longer than running them, so the first batch of
a shape runs as it is, the second is captured as a CUDA graph, and the others replay the graph. Several cells can train
at once in one process, each in a thread with a stream of its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.extrinsic.examples import Key

Made = TypeVar("Made")
UNROLLED = 8
"""Steps in one graph where that many batches of one shape follow each other."""
_turn = threading.Lock()
_of_thread = threading.local()


@contextmanager
def own_stream(device: torch.device) -> Iterator[None]:
    """Use a stream of this thread's own, so that the cells of several threads share a GPU."""
    if device.type != "cuda":
        yield
        return
    # Sums in a fixed order on every stream; cuBLAS reads it when the device is first used.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    if not hasattr(_of_thread, "stream"):
        _of_thread.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    with torch.cuda.stream(_of_thread.stream):
        yield


@contextmanager
def in_turn(device: torch.device) -> Iterator[None]:
    """Let one thread at a time do anything but replay, as torch allows one capture in a process.

    The stream's work is awaited before the turn begins, so that no thread waits for the replays of another.
    """
    if device.type != "cuda":
        yield
        return
    torch.cuda.current_stream().synchronize()
    with _turn:
        yield


def ahead(make: Callable[[], Made], times: int, device: torch.device) -> Iterator[Made]:
    """Results of so many calls; while a GPU works with one, a thread makes the next."""
    if device.type != "cuda":
        for _ in range(times):
            yield make()
        return
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(make)
        for left in reversed(range(times)):
            made = coming.result()
            if left:
                coming = thread.submit(make)
            yield made


def on_device(array: NDArray[np.generic], device: torch.device) -> Tensor:
    """A copy on the device, or the same memory on a CPU; the host does not wait for it."""
    host = torch.from_numpy(np.require(array, requirements="W"))
    return host.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else host.to(device)


def masks_of(bits: NDArray[np.uint8], width: int, device: torch.device) -> Tensor:
    """Dropout masks of 0 and 2, uint8, shape (n, width), from packed bits, shape (n, ⌈width / 8⌉)."""
    if device.type == "cpu":
        return torch.from_numpy(np.unpackbits(bits, axis=1, count=width)).mul_(2)
    shifts = torch.arange(7, -1, -1, dtype=torch.uint8, device=device)
    unpacked = (on_device(bits, device).unsqueeze(-1) >> shifts).bitwise_and_(1).mul_(2)
    return unpacked.flatten(start_dim=1)[:, :width]


class Executor:
    """Runs a training's steps in order; ``step`` makes the next one, whose batch has this shape."""

    def __init__(self, step: Callable[[Key], None], device: torch.device) -> None:
        self.step = step
        self.device = device
        self.replays_steps = device.type == "cuda"
        self.forget()

    def forget(self) -> None:
        """Capture all steps again, as the tensors that they use have changed."""
        self.keys_run: set[Key] = set()
        self.graphs: dict[tuple[Key, int], Callable[[], None]] = {}
        self.pool = torch.cuda.graph_pool_handle() if self.replays_steps else None

    def run(self, keys: Sequence[Key]) -> Iterator[int]:
        """Make one step for each key; yields the number of steps before each launch."""
        at = 0
        while at < len(keys):
            yield at
            key, times = keys[at], 1
            if self.replays_steps and key in self.keys_run:
                times = UNROLLED if list(keys[at : at + UNROLLED]) == [key] * UNROLLED else 1
                if (key, times) not in self.graphs:
                    self.graphs[key, times] = self.captured(key, times)
                self.graphs[key, times]()
            else:
                self.keys_run.add(key)
                with _turn:
                    self.step(key)
            at += times

    def captured(self, key: Key, times: int) -> Callable[[], None]:
        """Record the next steps, without running them; returns what runs them."""
        graph = torch.cuda.CUDAGraph()
        with _turn:
            # Not torch.cuda.graph, which waits for the whole device and empties its caches.
            graph.capture_begin(self.pool, capture_error_mode="thread_local")
            try:
                for _ in range(times):
                    self.step(key)
            finally:
                graph.capture_end()
        return graph.replay
