"""Files of fewer bits a number: arrays, and token models in the layout of model2vec."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.files import whole
from tasks.formats.quantised import BITS, Precision, quantised
from tasks.formats.token_models import TRUNCATIONS, TokenModel

_KINDS: dict[str, str] = {"float32": "F32", "float16": "F16", "int8": "I8", "int64": "I64"}


def write_model(path: Path, model: TokenModel, precision: Precision) -> None:
    """Write a token model as a zip archive in the layout of model2vec; the same bytes every time.

    Parameters
    ----------
    precision : not int4, which the format lacks.
    """
    tensors: dict[str, NDArray[np.generic]] = {"embeddings": model.rows}
    weights = model.weights
    if precision == "float16":
        tensors["embeddings"] = model.rows.astype(np.float16)
    elif precision == "int8":
        tensors["embeddings"], scales = quantised(model.rows, BITS[precision])
        of_tokens = scales.astype(np.float32) if model.mapping is None else scales.astype(np.float32)[model.mapping]
        weights = of_tokens if weights is None else of_tokens * weights
    if weights is not None:
        tensors["weights"] = weights
    if model.mapping is not None:
        tensors["mapping"] = model.mapping
    header, place = {}, 0
    for name, tensor in tensors.items():
        end = place + tensor.nbytes
        kind = _KINDS[tensor.dtype.name]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [place, end]}
        place = end
    described = json.dumps(header).encode()
    described += b" " * (-len(described) % 8)
    config: dict[str, object] = {"normalize": model.is_normalised}
    if model.truncations:
        config[TRUNCATIONS] = list(model.truncations)
    with whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        archive.writestr(zipfile.ZipInfo("tokenizer.json"), model.tokenizer)
        archive.writestr(zipfile.ZipInfo("config.json"), json.dumps(config))
        with archive.open(zipfile.ZipInfo("model.safetensors"), "w", force_zip64=True) as member:
            member.write(len(described).to_bytes(8, "little") + described)
            for tensor in tensors.values():
                member.write(np.ascontiguousarray(tensor).data)
