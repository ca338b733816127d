"""Support for long computations in processes: progress, device, memory, and ending with the parent.

Independent of tasks, so that a process that only reads files loads no metric.
"""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.process import BaseProcess

from tasks.errors import InputError

Progress = Callable[[float, str], None]
"""Called with the share of a cell that is done, in [0, 1], and a few words on the current step."""


def no_progress(share: float, what: str) -> None:
    """The silent progress callback."""


_PR_SET_PDEATHSIG = 1
_SIGNS = (
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "failed to map segment",
    "bad_alloc",
    "memory allocation of",
)


def end_with_parent() -> None:
    """End this process when its parent ends, for whatever reason.

    A process that ``multiprocessing`` started can wait for its parent. On Linux, the kernel kills any other process
    together with the thread that started it.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    elif sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out: Python and NumPy raise MemoryError, mmap OSError; torch and ld.so only mention it."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, RuntimeError | ImportError) and says_it_lacks_memory(str(error))


def lost_the_gpu(error: BaseException) -> bool:
    """Whether it is a fault of CUDA other than lack of memory: no later operation of the process can succeed."""
    return isinstance(error, RuntimeError) and "CUDA error" in str(error) and not lacks_memory(error)


def says_it_lacks_memory(text: str) -> bool:
    return any(sign in text.lower() for sign in _SIGNS)


def resolve_device(device: str) -> str:
    """Device to train on: ``auto`` is CUDA if available, else the CPU.

    Raises
    ------
    InputError
        CUDA is requested and not available.
    """
    if device == "cpu":
        return device
    import torch

    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise InputError("no-cuda", "There is no CUDA device here; choose cpu, or auto.", field="device")
    return "cuda" if available else "cpu"


def device_name(device: str) -> str:
    """Kind of a device, as results and reports name it: ``cpu``, or the name of the GPU."""
    if device == "cpu":
        return device
    import torch

    return torch.cuda.get_device_name()
