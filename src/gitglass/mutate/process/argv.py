"""The closed table of command lines: what is run for which service, and what stands for what in it.

Words that a repository has a say in (paths) are put into words of their own, never through a shell; what would begin
with a dash gets `./` in front, so that no name of a file is an option. Mirrors gitattributes(5), "filter" and "Defining
a custom merge driver".
"""

from __future__ import annotations

import os

from .granted import Program, Signer


def filter_words(program: Program, real: str, path: bytes) -> list[bytes]:
    """A filter's command line; `%f` is the path from the top of the work tree, `%%` a percent sign."""
    name = b"./" + path if path.startswith(b"-") else path
    return [os.fsencode(real), *(_filled(os.fsencode(word), {b"f": name}) for word in program.argv[1:])]


def driver_words(program: Program, real: str, files: dict[bytes, bytes], size: int, path: bytes) -> list[bytes]:
    """A merge driver's command line; `files` are those of `O`, `A` and `B`."""
    name = b"./" + path if path.startswith(b"-") else path
    values = {**files, b"L": b"%d" % size, b"P": name}
    return [os.fsencode(real), *(_filled(os.fsencode(word), values) for word in program.argv[1:])]


def signer_words(signer: Signer, real: str, payload: bytes) -> list[bytes]:
    """A signer's command line: gpg's and gpgsm's read from stdin, ssh-keygen's from a file of the room."""
    front = [os.fsencode(real), *(os.fsencode(word) for word in signer.program.argv[1:])]
    if signer.format == "ssh":
        return [*front, b"-Y", b"sign", b"-n", b"git", b"-f", os.fsencode(signer.key), payload]
    return [*front, b"--status-fd=2", b"-bsau", os.fsencode(signer.key)]


def ssh_words(program: Program, real: str, machine: bytes, port: int, service: bytes, path: bytes) -> list[bytes]:
    """The command line that has another machine run `git-upload-pack` or `git-receive-pack` on a path there: a shell of
    that machine reads it, so that the path is quoted as git quotes it (gitprotocol-pack(5), "SSH Transport")."""
    front = [os.fsencode(real), *(os.fsencode(word) for word in program.argv[1:])]
    quoted = b"'" + path.replace(b"'", b"'\\''").replace(b"!", b"'\\!'") + b"'"
    return [*front, *([b"-p", b"%d" % port] if port else []), machine, b"git-%b %b" % (service, quoted)]


def _filled(word: bytes, values: dict[bytes, bytes]) -> bytes:
    pieces = word.split(b"%")
    made, at = [pieces[0]], 1
    while at < len(pieces):
        piece = pieces[at]
        if not piece and at + 1 < len(pieces):  # %%
            made.append(b"%" + pieces[at + 1])
            at += 2
            continue
        value = values.get(piece[:1])
        made.append(b"%" + piece if value is None else value + piece[1:])
        at += 1
    return b"".join(made)
