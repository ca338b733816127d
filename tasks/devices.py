"""Where a model trains."""

from __future__ import annotations

from tasks.errors import InputError


def resolve_device(wanted: str) -> str:
    """``auto`` is CUDA if available, else the CPU.

    Raises
    ------
    InputError
        CUDA is requested and not available.
    """
    if wanted == "cpu":
        return wanted
    import torch

    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise InputError("no-cuda", "There is no CUDA device here; choose cpu, or auto.", field="device")
    return "cuda" if available else "cpu"
