"""What git and gitglass did, side by side: answers, and everything about two repositories that has to be the same."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.live.states import State
from tests.support.twins import MAIL, NAME, START, Answer, below, git_folders, picture, read_by_us

_BIG = 1 << 20
_GRAFTS = re.compile(rb"hint: Support for <GIT_DIR>/info/grafts.*?graftFileDeprecated false\"\n", re.DOTALL)
_PATCH = re.compile(rb"(?:error: [^\n]*\n)+(?=error: conflicts in index\. Try without --index\.\n)")
_FILLED_IN = re.compile(rb"((?:[^\n]*: unmerged \([0-9a-f]+\)\n)+(?:\.\.\.\n)?)\1")
_USAGE = re.compile(rb"(error: unknown (?:switch|option) [^\n]*\n)usage: .*", re.DOTALL)
_FOLDERS = re.compile(
    rb"warning: in the working copy of [^\n]*\n|warning: unable to rmdir '[^\n]*\n|Ignoring path [^\n]*\n"
    rb"|[^\n]* is not a valid attribute name: [^\n]*\n|error: failed to encode '[^\n]*' from [^\n]* to UTF-8\n"
    rb"|<stdin>:\d+: (?:trailing whitespace|space before tab in indent|indent with spaces|new blank line at EOF)\.\n[^\n]*\n"
    rb"|warning: squelched \d+ whitespace errors?\n|warning: \d+ lines? adds? whitespace errors\.\n"
)


def environment(moment: int) -> dict[str, str]:
    """git's environment at a moment. What gpg would say of a signed tag is nobody's: a program that says nothing stands
    for it."""
    date = f"{moment} +0000"
    return {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC",
        "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_EDITOR": ":", "GIT_MERGE_AUTOEDIT": "no",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gpg.program", "GIT_CONFIG_VALUE_0": "false",
    }  # fmt: skip


def git(repo: Path, argv: list[str], moment: int = START) -> Answer:
    """git's answer."""
    done = subprocess.run(
        ["git", *argv], cwd=repo, env=environment(moment), capture_output=True, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def read_by_git(repo: Path, argv: list[str]) -> bytes:
    """What git prints."""
    return git(repo, argv)[1]


def read_for_a_step(repo: Path, argv: list[str]) -> bytes:
    """The same after each step: the status as git prints it, which reads the index whole, and lists of refs and entries
    as our reader does. At the end of a sequence git reads everything."""
    return read_by_git(repo, argv) if argv[0] == "status" else read_by_us(repo, argv)


def without_home(answer: Answer, home: Path) -> Answer:
    """An answer that does not say where its copy lies."""
    name = os.fsencode(str(home))
    return answer[0], answer[1].replace(name, b"REPO"), answer[2].replace(name, b"REPO")


def compare(
    homes: tuple[Path, Path],
    state: State,
    want: Answer,
    have: Answer,
    *,
    ask: Callable[[Path, list[str]], bytes] = read_for_a_step,
) -> str | None:
    """What differs, as text; repositories as `ask` reads them."""
    names = [os.fsencode(str(home)) for home in homes]
    theirs, mine = (home / state.inside for home in homes)
    lines = []
    for name, one, two in zip(("status", "stdout", "stderr"), want, have, strict=True):
        one = one.replace(names[0], b"REPO") if isinstance(one, bytes) else one
        two = two.replace(names[1], b"REPO") if isinstance(two, bytes) else two
        one, two = (plainer(side) if isinstance(side, bytes) else side for side in (one, two))
        if one != two:
            lines.append(f"  {name}: git {one!r}\n  {' ' * len(name)}  our {two!r}")
    pictures = [modes(one) | picture(one, home, ask) for one, home in ((theirs, names[0]), (mine, names[1]))]
    first, second = pictures
    if want[0]:  # git writes the message down before it finds that there is nothing to commit
        names_left = ("COMMIT_EDITMSG",) if want[2] == b"" else ("COMMIT_EDITMSG", "ORIG_HEAD")
        for one in (theirs, mine):
            for left in names_left:
                (git_folders(one)[0] / left).unlink(missing_ok=True)
        for found in pictures:
            for left in names_left:
                found.pop(left, None)
                found.pop(f"mode {left}", None)
    for key in ("mode of objects", "mode of objects' folders"):  # of those that both have
        one, two = (dict(side[key]) for side in pictures)  # type: ignore[call-overload]
        first[key], second[key] = ({name: side[name] for name in one.keys() & two.keys()} for side in (one, two))
    for key in sorted(first.keys() | second.keys()):
        if first.get(key) != second.get(key) and not only_kept(key, first.get(key), second.get(key)):
            lines.append(
                f"  {key}: git {str(first.get(key))[:600]}\n  {' ' * len(key)}  our {str(second.get(key))[:600]}"
            )
    return "\n".join(lines) or None


def only_kept(key: str, one: object, two: object) -> bool:
    """Whether a file is the same but for permissions that git keeps nothing of: gitglass does not write it again."""
    if not (key.startswith("file ") and isinstance(one, bytes) and isinstance(two, bytes)):
        return False
    (mode, _, content), (other, _, same) = one.partition(b" "), two.partition(b" ")
    return content == same and mode.isdigit() and other.isdigit() and not (int(mode, 8) ^ int(other, 8)) & 0o100


def plainer(words: bytes) -> bytes:
    """What is said, without the lines that differ on purpose."""
    words = _FILLED_IN.sub(b"", _PATCH.sub(b"", words))
    return _FOLDERS.sub(b"", _USAGE.sub(rb"\1", _GRAFTS.sub(b"", words)))


def checked(repo: Path) -> bytes:
    """What `git fsck` finds; git's own index can name the empty tree without there being one."""
    packed = sum(path.stat().st_size for path in git_folders(repo)[1].glob("objects/pack/*.pack"))
    full = ["--no-full"] if packed > _BIG else []  # a long history that nobody touches is not read each time
    lines = git(repo, ["fsck", *full, "--no-dangling", "--no-progress"])[1].splitlines()
    empty = (
        b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        b"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    )
    if (
        b"sdir" in (git_folders(repo)[0] / "index").read_bytes()
    ):  # fsck fills it in, and names the tree that comes of it
        lines = [line for line in lines if not line.startswith(b"missing tree ")]
    return b"\n".join(line for line in lines if not line.endswith(empty))


def modes(repo: Path) -> dict[str, object]:
    """The permissions of git's files, and the version of the index; those of objects as a set."""
    own, common = git_folders(repo)
    found: dict[str, object] = {}
    for name in ("HEAD", "index", "config", "ORIG_HEAD"):
        if (own / name).exists():
            found["mode " + name] = oct((own / name).stat().st_mode)
    for folder in ("refs", "logs"):
        for name, entry in below(common / folder, folder):
            found[f"mode {name}"] = oct(entry.stat().st_mode)
    folders: dict[str, object] = {}
    objects: dict[str, object] = {}
    for name, entry in below(common / "objects"):
        if len(name) == 2:
            folders[name] = oct(entry.stat().st_mode)
        elif name[2] == "/":
            objects[name[3:]] = oct(entry.stat().st_mode)
    found |= {"mode of objects": objects, "mode of objects' folders": folders}
    if (own / "index").exists():
        found["index version"] = (own / "index").read_bytes()[4:8].hex()
    return found
