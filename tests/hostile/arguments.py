"""Nasty argument vectors, made from the grammar itself: every command, every option of its Flag table, every bad value.

`python -m tests.hostile.arguments SEED COUNT` asks many more than the suite does, in a copy of a fixture.
"""

import os
import random
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gitglass.commands.command import REFUSED, Command
from gitglass.commands.registry import NAMES, forms, load
from gitglass.limits import Limits
from gitglass.request.flag import spellings

from .observer import ask

OUTSIDE = [
    "../..", "/etc/passwd", "../outside/secret", "..", "/", "//etc//passwd", "./../../outside", ".git/../../outside/secret", "src/../../outside/secret", "~root/.ssh", "~", "%(prefix)/etc/passwd", "/proc/self/environ", "/dev/zero", "/dev/stdin", "-", "C:\\x", "\\\\host\\share",
    ":(top)../..", ":(top)/etc/passwd", ":/../../etc", ":(glob)/**", ":(exclude)..", ":(attr:a b)", ":(literal", ":(,,,)", ":!", ":^", ":" * 500, ":(icase,glob)**/" + "*/" * 200,
]  # fmt: skip
REVISIONS = [
    "@{-99999999}", "HEAD~99999999999999999999", "HEAD" + "^" * 5000, "HEAD" + "~1" * 3000, ":/(a+)+$", ":/" + "(" * 500, "HEAD^{/(a|a)*b}", "@{99999999999999}", "HEAD@{" + "9" * 300 + "}", "HEAD@{1 month ago tomorrow noon}", "@{u}@{u}@{u}", "@{push}",
    "HEAD^{tree}^{commit}^{blob}", "HEAD^99999999999", "HEAD^-", "HEAD^@^!^-1", "..", "...", "....", "a..b..c", "^" * 200, "HEAD^{" + "}" * 99, "HEAD:../../outside/secret", "HEAD:/etc/passwd", "HEAD:./../..", ":9:README.md", ":0:../x", ":::" * 50, "refs/../../outside/secret",
    "refs/heads/../../config", "HEAD/../config", ".git/HEAD", "objects/../HEAD", "0" * 40, "f" * 40, "a" * 39, "g" * 40, "1" * 5000, "-HEAD", "--HEAD", "@", "@@", "HEAD@", "@{", "@{}", "{", "HEAD{", "\u202e", "v1.0-9999999999-g" + "f" * 40, "x-g", "describe-1-gabc",
]  # fmt: skip
VALUES = [
    "", " ", "0", "-1", "1", "99999999999999999999", "-99999999999999999999", "2147483648", "9" * 5000, "1e9", "0x10", "nan", "+5", "1,2", "1,", ",1", "1-", "%", "%s" * 500, "%n", "\n", "\t", "\r\n", "\x1b[2J", "\0", "a\0b", "\udcff\udcfe", "\u202e\u200b", "x" * 100_000,
    "--upload-pack=touch ran", "--output=ran", "--exec=ran", "-c core.fsmonitor=ran", "!touch ran", "|touch ran", "$(touch ran)", "`touch ran`", ";touch ran", "ext::touch ran", "file:///etc/passwd", "--", "-", "---", "=", "==", "'", '"', "\\", "\\" * 99, "*", "**/" * 300, "[", "[[:alpha:]",
    "(a+)+$", "((((((a+)+)+)+)+)+)+$", "(" * 2000, ")" * 100, "(?R)", "(?(DEFINE)(?<a>(?&a)))", "\\1\\2\\3", "a{1000}{1000}{1000}", "[a-", "(?=" * 50, "x*" * 60, "%<(99999999999)%s", "%>|(2147483647)%an", "%w(999999999,999999999,999999999)%b", "%C(" + "x" * 999 + ")", "%(trailers:key=" + "x" * 999 + ")",
    "%(" * 200, "%(if)" * 300, "%(align:999999999)x%(end)", "%(contents:lines=99999999999)", "%(color:" + "red" * 100 + ")", "%(describe:match=" + "*" * 99 + ")", "format:%x", "format:%x00%x0", "tformat:" + "%+-b" * 99, "auto:99999999999", "iso8601-strict-local", "format:%" + "Y" * 3000, "format:%Ez%Q%", "raw-local",
    "never", "now", "yesterday" * 40, "99999999999 years ago", "1970-01-01T00:00:00+99:99", "tea", "1 fortnight ago", "00000000", "25:61:61", "-0001-13-45", "3000-01-01", "@1e99", "lots,of,words", "full-index", "HEAD", "main", "README.md", "src", "99999999999%", "100%%", "A,B,C,D,M,R,T,U,X", "zzz", "1,1:README.md", ",+99999999999:README.md",
    "/(a+)+$/,/x/:README.md", ":(a+)+$:README.md", "^/x/,-99999999:README.md", "1,1:../../outside/secret", "utf-7", "zlib_codec", "../../etc/passwd", "red blue green", "#zzzzzz", "ansi", "diff.x=" + "y" * 999, "refs/*", "refs/**/**/**", "refs/heads/" + "*" * 99,
    *OUTSIDE[:8], *REVISIONS[:12],
]  # fmt: skip
GLOBALS = [
    ["-C", "../.."], ["-C", "/"], ["-C", "/etc"], ["-C", ".git"], ["-C", "nowhere"], ["-C", ""], ["-C", "src", "-C", "../../.."], ["--git-dir=/etc"], ["--git-dir", "../outside"], ["--git-dir=.git/../.git"], ["--git-dir="], ["--git-dir", "README.md"], ["--work-tree=/"],
    ["--work-tree", "../.."], ["--bare"], ["--exec-path=/tmp"], ["--namespace=x"], ["-c", "core.fsmonitor=touch ran"], ["-c", "core.worktree=/etc"], ["-c", "include.path=/etc/passwd"], ["-c", "core.pager=touch ran"], ["-c", "alias.x=!touch ran"], ["-c", "diff.external=touch ran"],
    ["-c", ""], ["-c", "="], ["-c", "x"], ["-c", "core.abbrev=99999999"], ["-c", "a.b\n=c"], ["-c"], ["-C"], ["--git-dir"], ["--no-pager"], ["-p"], ["--paginate"], ["--no-replace-objects"], ["--literal-pathspecs"], ["--glob-pathspecs", "--noglob-pathspecs"], ["--icase-pathspecs"], ["--config-env=core.pager=HOME"],
    ["--super-prefix=x/"], ["--list-cmds=main"], ["--html-path"], ["--unknown"], ["-c", "core.attributesFile=/etc/passwd"], ["-c", "mailmap.file=/etc/passwd"], ["-c", "log.showSignature=true"], ["-c", "x" * 100_000 + ".y=z"],
]  # fmt: skip


def commands() -> list[tuple[list[str], Command]]:
    """(words that name it, command) of every command and subcommand."""
    found: list[tuple[list[str], Command]] = []
    for name in sorted(NAMES):
        module = load(name)
        found.append(([name], module.COMMAND))  # type: ignore[union-attr]
        found += [([name, word], command) for word, command in forms(name).items()]
    return found


def options(command: Command) -> list[tuple[str, bool]]:
    """(spelling, whether it takes a value) of every option there is, those that are refused among them."""
    table = (
        []
        if command.raw
        else [(name, flag.value is not None) for name, (_, flag) in spellings(command.request).items()]
    )
    return table + [(name, True) for name in (*REFUSED, *command.refused)]


def vectors(seed: int, count: int) -> Iterator[list[str]]:
    """Argument vectors: first each option with a bad value, in a different order for each seed, then mixtures."""
    random_ = random.Random(seed)
    known = [(words, command, options(command)) for words, command in commands()]
    singles = [(words, option) for words, _, table in known for option in table]
    random_.shuffle(singles)
    made = 0
    while made < count:
        if made < len(singles) and made % 2:
            words, option = singles[made]
            argv = [*words, *_spelled(option, random_)]
        else:
            words, _, table = random_.choice(known)
            argv = list(words)
            for _ in range(random_.randrange(4) if table else 0):
                argv += _spelled(random_.choice(table), random_)
        for _ in range(random_.randrange(3)):
            argv.append(
                random_.choice(random_.choice([REVISIONS, OUTSIDE, VALUES, ["HEAD", "main", "HEAD~1", "README.md"]]))
            )
        if random_.random() < 0.2:
            argv.insert(random_.randrange(1, len(argv) + 1), "--")
        if random_.random() < 0.12:
            argv = [*random_.choice(GLOBALS), *argv]
        yield argv
        made += 1


def _spelled(option: tuple[str, bool], random_: random.Random) -> list[str]:
    name, valued = option
    if name == "-NUM":
        return [f"-{random_.choice(['0', '5', '99999999999999999999'])}"]
    if not valued and random_.random() < 0.9:
        return [name if random_.random() < 0.9 else name[: max(len(name) - 2, 3)]]
    value = random_.choice(VALUES if random_.random() < 0.7 else REVISIONS + OUTSIDE)
    if not name.startswith("--"):
        return [name + value] if random_.random() < 0.5 else [name, value]
    return [f"{name}={value}"] if random_.random() < 0.7 else [name, value]


def shown(argv: list[str]) -> str:
    """A vector short enough for a report."""
    return " ".join(repr(word) if len(word) < 60 else repr(word[:40]) + f"…{len(word)}" for word in argv)


def check(repo: Path, seed: int, count: int, limits: Limits, allowed: float) -> list[str]:
    """Ask them all; what was wrong."""
    found = []
    for argv in vectors(seed, count):
        found += [f"{shown(argv)}: {word[-400:]}" for word in ask(repo, argv, limits, allowed)]
    return found


def main() -> int:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    archive = Path(__file__).resolve().parents[2] / "fixtures/archives/plain.tar.gz"
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as tar:
            tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
            tar.extractall(Path(place, "jail"))
        Path(place, "outside").mkdir()
        Path(place, "outside/secret").write_bytes(b"the planted secret 5f1c\n")
        os.chdir(Path(place, "jail"))
        found = check(Path(place, "jail"), seed, count, Limits(timeout=1.0), 1.5)
        if Path("ran").exists():
            found.append("something was run or written")
    print("\n".join(found))
    print(f"{count} argument vectors, seed {seed}: {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
