"""A token that a granted program prints (`gh auth token`): run anew each time, its words told to nobody.

What the program writes to stderr is dropped: it may hold what must not be said. The program reads settings and keys of
its own, which the host grants by its variables (`GH_CONFIG_DIR`).
"""

from __future__ import annotations

import re

from ...errors import NotGranted
from ...limits import Context
from .granted import Program, Programs
from .prove import proven
from .room import Room
from .run import Allowance, run

_TOKEN = re.compile(rb"[!-~]{1,4096}")
_MOST = 8192


def token_of(program: Program, programs: Programs, folders: tuple[bytes, ...], ctx: Context) -> str | None:
    """What the program prints: one word; None where it fails, or prints something else. `folders` are those whose files
    are never run. Raises NotGranted for a program that is not what was granted, Timeout where it takes too long."""
    proof = proven(program, folders)
    may = Allowance(programs.seconds, _MOST, _MOST)
    with Room(programs, folders) as room:
        try:
            ended = run(
                [proof.path, *program.argv[1:]], folder=room.path, variables=room.variables(program), given=None,
                may=may, ctx=ctx, sha256=proof.sha256,
            )  # fmt: skip
        except OSError as error:
            raise NotGranted(f"the program '{program.argv[0]}' cannot be run: {error.strerror}") from error
    word = ended.out.strip()
    if ended.status or ended.cut or not _TOKEN.fullmatch(word):
        return None
    return word.decode("ascii")
