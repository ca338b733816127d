"""Every error that rejects a model of open vocabulary: fastText's, or a static token model."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.errors import InputError
from tasks.vector_files.problems import listed, shown

NEEDS_WORD_LIST = "needs-word-list"


def needs_word_list() -> InputError:
    message = (
        "The file has vectors for any word (an open vocabulary), so a list of the words to compose must be given: "
        "the one of a suite, which “python -m tasks words” writes."
    )
    return InputError(NEEDS_WORD_LIST, message)


# fastText


def bad_fasttext(why: str) -> InputError:
    message = f"The fastText model cannot be read: {why}. Send the whole .bin file that fastText saved."
    return InputError("bad-fasttext", message)


def other_fasttext(what: str) -> InputError:
    message = (
        f"The file is {what}, which is not supported. Send the .bin file of skip-gram or CBOW vectors, or a .vec file."
    )
    return InputError("other-fasttext", message)


# Static token models


def lone_safetensors() -> InputError:
    message = (
        "The file is a safetensors file without its tokenizer. Send both in a zip or tar.gz archive: “vecboard submit "
        "FOLDER” packs them."
    )
    return InputError("no-tokenizer", message)


def files_of_model(kind: str, names: Sequence[str]) -> InputError:
    message = (
        f"A static token model needs exactly one {kind} file in its archive, and this one contains {listed(names)}. "
        "Pack one *.safetensors file with its tokenizer.json and config.json."
    )
    return InputError("files-of-model", message)


def bad_safetensors(why: str) -> InputError:
    message = f"The safetensors file cannot be read: {why}. Save the model again and pack the whole file."
    return InputError("bad-safetensors", message)


def unknown_tensors(found: Sequence[str]) -> InputError:
    message = (
        "A static token model has a 2-D tensor of floats named “embeddings” or “embedding.weight”, and may have the "
        f"1-D tensors “weights” and “mapping”. This one has {listed(found)}."
    )
    return InputError("unknown-tensors", message)


def bad_tensor(name: str, why: str) -> InputError:
    message = f"The tensor “{shown(name)}” {why}. Save the model again."
    return InputError("bad-tensor", message)


def bad_tokenizer(why: str) -> InputError:
    message = (
        f"The tokenizer.json cannot be read ({shown(why)}). Save it again, with “tokenizer.save('tokenizer.json')” and "
        "a recent version of the library tokenizers."
    )
    return InputError("bad-tokenizer", message)


def growing_text(characters: int, word: str) -> InputError:
    message = (
        f"The normalizer of tokenizer.json makes {characters:,} characters of “{shown(word)}”. Remove the part of it "
        "that makes words longer."
    )
    return InputError("bad-tokenizer", message, word=shown(word))


def varying_tokens() -> InputError:
    message = "The tokenizer.json splits the same word differently each time. Remove the part of it that is random."
    return InputError("bad-tokenizer", message)


def token_without_row(word: str, token: int, rows: int) -> InputError:
    message = (
        f"The tokenizer gives “{shown(word)}” a token with the id {token:,}, but the model has rows or a mapping for "
        f"{rows:,} only. Pack the tokenizer that belongs to these tensors."
    )
    return InputError("token-without-row", message, word=shown(word))


def bad_config(why: str) -> InputError:
    message = f"The config.json cannot be read ({shown(why)}). Correct it, or leave it out."
    return InputError("bad-config", message)
