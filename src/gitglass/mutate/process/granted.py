"""What a host may grant to be run: programs by value. Nothing of it can come from a request or a repository.

A `Program` is a command line, not a line for a shell. Its first word is the absolute path of a file that lies in no
root and that nobody but its owner may write; `sha256`, where given, is what that file has to be (`process.prove`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ...errors import InvalidArgs
from ...records import field, record

_HOOK = re.compile(r"[a-z][a-z-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
#: variables that a host cannot hand to a program, since the room sets them or since they load code into it
_CLOSED = re.compile(r"GIT_(?!TRACE)\w+|LD_\w+|DYLD_\w+|PATH|HOME|TMPDIR|XDG_CONFIG_HOME|BASH_ENV|ENV")


@record(frozen=True)
class Program:
    """A command line, by value. `variables` are the program's own, beside those of the room (`GNUPGHOME`,
    `SSH_AUTH_SOCK`). `reads` says what the program itself reads beside its input, for whoever approves."""

    argv: tuple[str, ...]
    sha256: str = ""
    variables: tuple[tuple[str, str], ...] = ()
    reads: str = ""

    def __post_init__(self) -> None:
        if not self.argv or not self.argv[0].startswith("/"):
            raise InvalidArgs(f"a program is granted by its absolute path, not as {self.argv[:1]!r}")
        if any("\0" in word for word in self.argv):
            raise InvalidArgs("a NUL byte in a program's command line")
        if self.sha256 and not _SHA256.fullmatch(self.sha256):
            raise InvalidArgs(f"'{self.sha256}' is no SHA-256 in hex")
        for name, value in self.variables:
            if _CLOSED.fullmatch(name) or not name or "=" in name or "\0" in name + value:
                raise InvalidArgs(f"the variable '{name}' cannot be granted to a program")


@record(frozen=True)
class Filter:
    """What a filter of gitattributes(5) runs. `%f` in a command line is the path. With `required` (or where the
    repository's `filter.<name>.required` says so) a filter that fails, fails the operation; otherwise content goes
    through as it is, as git has it."""

    clean: Program | None = None
    smudge: Program | None = None
    required: bool = True


@record(frozen=True)
class Signer:
    """Who signs commits and tags: gpg ("openpgp"), gpgsm ("x509") or ssh-keygen ("ssh"), and with which key: what `-u`
    of gpg takes, or the file of a key for ssh. The repository has no say in it."""

    program: Program
    key: str
    format: Literal["openpgp", "x509", "ssh"] = "openpgp"

    def __post_init__(self) -> None:
        if not self.key or self.key.startswith("-") or "\0" in self.key:
            raise InvalidArgs(f"'{self.key}' is no key to sign with")


@record(frozen=True)
class Programs:
    """All programs of a grant, and what each run of one of them may take.

    filters     by the name that the attribute `filter` has
    drivers     by the name that the attribute `merge` has: in their words `%O`, `%A` and `%B` are files with base, our
                side and theirs, `%L` the size of marks, `%P` the path; what `%A` holds afterwards is the result
    signer      signs commits where `commit.gpgSign` or the request says so, and tags likewise
    token       prints a token for GitHub, as `gh auth token` does; run each time that one is needed and none was given
    path        directories for `PATH`: absolute ones that lie in no root
    rooms       the directory in which rooms are made, in no root either
    seconds     for one run; `output` and `words` are bytes of its stdout and stderr
    ssh         reaches other machines: `-p <port>`, `[user@]host` and git's command there follow its own words; what it
                may take are the grant's limits of the network
    """

    filters: Mapping[str, Filter] = field(default_factory=dict)
    drivers: Mapping[str, Program] = field(default_factory=dict)
    signer: Signer | None = None
    token: Program | None = None
    path: tuple[str, ...] = ("/usr/local/bin", "/usr/bin", "/bin")
    rooms: str = "/tmp"
    seconds: float = 20.0
    output: int = 16 << 20
    words: int = 64 << 10
    ssh: Program | None = None

    def __post_init__(self) -> None:
        for folder in (*self.path, self.rooms):
            if not folder.startswith("/") or ":" in folder or "\0" in folder:
                raise InvalidArgs(f"'{folder}' is no absolute directory")
        if self.seconds <= 0 or self.output <= 0 or self.words <= 0:
            raise InvalidArgs("a program needs time and room for its output")


#: where the file of a message lies in a room, and what stands for it in a hook's words
MESSAGE = b"git/COMMIT_EDITMSG"


@record(frozen=True)
class GrantedHooks:
    """Hooks of the repository that may be run, by the SHA-256 of their bytes: `{"pre-commit": "1f3c…"}`. An active hook
    that is not here, is another one, or belongs to no operation that runs it, refuses the operation, as ever.

    `seconds` is for one hook. A hook runs on the work tree itself, with a git directory of its own beside it: what it
    changes in files is seen like anybody's change, what it changes in index or message makes a new plan.
    """

    files: Mapping[str, str]
    seconds: float = 60.0

    def __post_init__(self) -> None:
        for name, digest in self.files.items():
            if not _HOOK.fullmatch(name) or not _SHA256.fullmatch(digest):
                raise InvalidArgs(f"a hook is granted by its name and SHA-256, not as '{name}': '{digest}'")
        if self.seconds <= 0:
            raise InvalidArgs("a hook needs time")


Service = Literal["clean", "smudge", "hook", "sign", "merge", "ssh"]


@record(frozen=True)
class ProgramUse:
    """One program that a plan runs, or has run to know what it holds: for the preview and the digest."""

    service: Service
    name: str  # of the filter, driver or hook; the format of a signature
    argv: tuple[str, ...]
    sha256: str  # of the program's file
    paths: tuple[str, ...] = ()
    reads: str = ""

    def line(self) -> str:
        """As the preview has it."""
        many = f" for {len(self.paths)} files" if len(self.paths) > 1 else "".join(f" for {one}" for one in self.paths)
        also = f", which reads {self.reads}" if self.reads else ""
        return f"runs {self.service} {self.name}{many}: {' '.join(self.argv)} (sha256 {self.sha256[:12]}){also}"
