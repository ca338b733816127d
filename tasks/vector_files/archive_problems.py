"""Every error that rejects an archive: a zip or tar file with vectors, or with several runs."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.errors import InputError
from tasks.vector_files.problems import PASTE, listed, shown, size

# A zip archive


def bad_zip(why: str) -> InputError:
    message = f"The zip archive cannot be read: {shown(why)}. Create it again, or send the vector file itself."
    return InputError("bad-zip", message)


def other_compression(how: str) -> InputError:
    message = (
        f"The zip archive is compressed with {how}; deflate is read. Pack the file with gzip (“gzip vectors.txt”, or "
        "7-Zip’s format gzip), or create the zip with the method Deflate."
    )
    return InputError("bad-zip", message)


def projector_files() -> InputError:
    message = (
        "The archive holds the Embedding Projector’s two files, vectors without their words and words without vectors. "
        f"Put them together: {PASTE}, and send vectors.tsv."
    )
    return InputError("numbers-for-words", message)


def empty_archive() -> InputError:
    return InputError("empty", "The archive contains no files. Put the vector file into it, or send that itself.")


def encrypted(name: str) -> InputError:
    message = f"“{shown(name)}” in the archive is encrypted. Create the archive again, without a password."
    return InputError("encrypted", message)


def which_member(names: Sequence[str]) -> InputError:
    message = (
        f"The archive contains {len(names):,} files: {listed(names)}. Name the one to read: on the form and in the "
        "API as “member”, on the command line as ARCHIVE.zip:MEMBER."
    )
    return InputError("which-member", message)


def no_such_member(asked: str, names: Sequence[str]) -> InputError:
    message = f"The archive does not contain “{shown(asked)}”. It contains {listed(names)}."
    return InputError("no-such-member", message)


# An archive of several runs


def bad_archive(why: str) -> InputError:
    message = f"The archive cannot be read: {why}. Create it again with tar and gzip, from plain files."
    return InputError("bad-archive", message)


def outside_of_archive(name: str) -> InputError:
    message = f"The archive contains a path that leads outside it (“{shown(name)}”). Create it again, from plain files."
    return InputError("bad-archive", message)


def link_in_archive(name: str) -> InputError:
    message = f"“{shown(name)}” in the archive is a link or a device. Include the file itself."
    return InputError("bad-archive", message)


def several_runs() -> InputError:
    message = "The file is an archive, which a site takes apart into runs of one setting. Unpack it and give one file."
    return InputError("several-runs", message)


def too_many_members(limit: int) -> InputError:
    message = f"The archive contains more than {limit:,} files and folders. Include only the files of the runs."
    return InputError("too-many-files", message)


def too_many_runs(limit: int) -> InputError:
    return InputError("too-many-files", f"The archive contains more than {limit} files. Send 2 to {limit}.")


def one_run() -> InputError:
    return InputError("one-run", "The archive contains fewer than two files. Send one file by itself.")


def runs_too_large(limit: int) -> InputError:
    message = f"The files of the archive expand to more than {size(limit)} together. Send fewer."
    return InputError("too-large-expanded", message)
