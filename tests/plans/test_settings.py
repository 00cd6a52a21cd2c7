"""plans/settings.py: settings that end a command although it does not need them."""

from pathlib import Path
from typing import Any

import pytest

import gitglass


@pytest.fixture
def top(repo: Any) -> Path:
    repo.add("file", b"1\n")
    repo.commit()
    repo.write_index()
    top: Path = repo.top
    return top


UNREAD = "fatal: unable to parse '{}' from command-line config"


@pytest.mark.parametrize(
    ("setting", "words", "message"),
    [
        ("color.diff.meta=bogus", ["status", "--short"], f"error: invalid color value: bogus\n{UNREAD}"),
        ("color.diff.plain", ["diff-tree", "HEAD"], f"error: missing value for '{{}}'\n{UNREAD}"),
        ("diff.color.new=a b", ["diff"], f"error: invalid color value: a b\n{UNREAD}"),
        ("color.grep.nosuch=x", ["log"], UNREAD),
        ("color.decorate.head=x", ["show", "-s"], f"error: invalid color value: x\n{UNREAD}"),
        ("color.blame.highlightrecent=red,x,no", ["blame", "file"],
         "error: invalid color value: no\nfatal: expecting a color: no"),
        ("core.compression=10", ["branch"], "fatal: bad zlib compression level 10"),
        ("core.packedgitlimit=-1", ["tag"], "fatal: bad numeric config value '-1' for '{}': invalid unit"),
        ("core.quotepath=x", ["ls-files"], "fatal: bad boolean config value 'x' for '{}'"),
        ("core.commentchar=xx", ["ls-tree", "HEAD"],
         f"error: core.commentChar should only be one character\n{UNREAD}"),
        ("diff.context=-1", ["status"], UNREAD),
        ("diff.algorithm=x", ["log"], UNREAD),
        ("diff.wserrorhighlight=x", ["diff-files"], UNREAD),
        *((name, ["rev-parse", "HEAD"], f"error: missing value for '{{}}'\n{UNREAD}")
          for name in ("user.name", "author.email", "i18n.commitencoding", "mailmap.blob", "core.untrackedcache")),
        ("index.version=x", ["cat-file", "-t", "HEAD"], "fatal: bad numeric config value 'x' for '{}': invalid unit"),
        ("diff.ignoresubmodules=x", ["status"], "fatal: bad --ignore-submodules argument: x"),
        ("grep.threads=-1", ["grep", "1"], "fatal: invalid number of threads specified (-1) for {}"),
        ("core.disambiguate=x", ["show-ref"], f"error: unknown hint type for '{{}}': x\n{UNREAD}"),
        *((name, ["diff"], f"error: missing value for '{{}}'\n{UNREAD}")
          for name in ("core.disambiguate", "diff.wordregex", "diff.orderfile", "diff.external")),
        *((f"diff.a.b.{name}", words, f"error: missing value for '{{}}'\n{UNREAD}")
          for name, words in (("xfuncname", ["cat-file", "-t", "HEAD"]), ("funcname", ["grep", "1"]),
                              ("wordregex", ["diff-tree", "HEAD"]), ("textconv", ["log"]), ("command", ["status"]))),
        ("core.abbrev=0", ["diff"], f"error: abbrev length out of range: 0\n{UNREAD}"),
        ("diff.algorithm=true", ["log"], UNREAD),
        ("diff.renamelimit=x", ["stash", "list"], "fatal: bad numeric config value 'x' for '{}': invalid unit"),
        ("diff.cpp.binary=x", ["blame", "file"], "fatal: bad boolean config value 'x' for '{}'"),
        ("diff.cpp.cachetextconv=x", ["stash", "list"], "fatal: bad boolean config value 'x' for '{}'"),
        ("notes.displayref", ["log"], f"error: missing value for '{{}}'\n{UNREAD}"),
    ],
)  # fmt: skip
def test_what_git_dies_of(top: Path, setting: str, words: list[str], message: str) -> None:
    done = gitglass.git(["-c", setting, *words], cwd=top)
    assert done.returncode == 128 and not done.stdout
    assert done.stderr.decode() == message.replace("{}", setting.partition("=")[0]) + "\n"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("color.diff.meta=bogus", ["shortlog", "HEAD"]), ("color.diff.nosuch=bogus", ["diff"]),
        ("color.branch.local=bogus", ["tag"]), ("core.compression=9", ["log"]), ("core.commentchar=auto", ["status"]),
        ("core.autocrlf=input", ["status"]), ("log.follow=x", ["diff"]), ("color.ui=x", ["rev-list", "HEAD"]),
        ("core.quotepath=x", ["config", "-l"]), ("diff.renames=copies", ["diff"]),
        ("core.disambiguate=Commit", ["log"]), ("diff.cpp.binary", ["diff"]), ("diff.cpp.binary=auto", ["diff"]),
        ("diff.cpp.xfuncname", ["ls-files"]), ("diff.orderfile", ["diff-tree", "HEAD"]), ("diff.cpp.other", ["diff"]),
        ("format.numbered=AUTO", ["format-patch", "--stdout", "-1"]),
    ],
)  # fmt: skip
def test_what_git_does_not_read(top: Path, setting: str, words: list[str]) -> None:
    done = gitglass.git(["-c", setting, *words], cwd=top)
    assert done.returncode == 0 and not done.stderr


def test_the_first_bad_entry_is_told_and_its_line(top: Path) -> None:
    with (top / ".git" / "config").open("a") as file:
        file.write('[color "diff"]\n\tmeta = x\n\tmeta = red\n[core]\n\tquotepath = x\n')
    done = gitglass.git(["diff"], cwd=top)
    assert (
        b"error: invalid color value: x\nfatal: bad config variable 'color.diff.meta' in file '.git/config'"
        in done.stderr
    )


def test_settings_are_read_before_the_words(top: Path) -> None:
    for words in (["log", "nosuch"], ["diff", "--nosuch"], ["rev-list", "nosuch"], ["show", "HEAD:nosuch"]):
        done = gitglass.git(["-c", "core.abbrev=x", *words], cwd=top)
        assert (done.returncode, done.stdout) == (128, b"")
        assert done.stderr == b"fatal: bad numeric config value 'x' for 'core.abbrev': invalid unit\n", words
