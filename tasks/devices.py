"""Where a model trains."""

from __future__ import annotations


def resolve_device(wanted: str) -> str:
    """``auto`` is CUDA if available, else the CPU."""
    if wanted != "auto":
        return wanted
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
