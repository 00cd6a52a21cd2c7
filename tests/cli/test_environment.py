"""git's environment: settings handed on, and where relative places start."""

import os
import shutil
from typing import Any

import pytest
import regex  # noqa: F401 (loaded before the guard looks)

from gitglass.cli.answer import Session, answer
from gitglass.cli.environment import counted_settings, quoted_settings
from gitglass.cli.main import byte_patterns, main
from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.regex.matcher import compile_pattern
from gitglass.repo.discover import Where


def test_counted_settings() -> None:
    env = {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "1"}
    env |= {"GIT_CONFIG_KEY_1": "a.c", "GIT_CONFIG_VALUE_1": ""}
    assert counted_settings(env) == [("a.b", "1"), ("a.c", "")]
    assert counted_settings({}) == counted_settings({"GIT_CONFIG_COUNT": ""}) == []


@pytest.mark.parametrize(
    ("env", "why"),
    [
        ({"GIT_CONFIG_COUNT": "x"}, "bogus count in GIT_CONFIG_COUNT"),
        ({"GIT_CONFIG_COUNT": "-1"}, "too many entries in GIT_CONFIG_COUNT"),
        ({"GIT_CONFIG_COUNT": "99999999"}, "missing config key GIT_CONFIG_KEY_0"),
        ({"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b"}, "missing config value GIT_CONFIG_VALUE_0"),
    ],
)
def test_what_is_missing_among_them(env: dict[str, str], why: str) -> None:
    with pytest.raises(GitError) as caught:
        counted_settings(env)
    assert caught.value.words().decode() == f"error: {why}\nfatal: unable to parse command-line config\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("'core.abbrev'='11'", [("core.abbrev", "11")]),
        ("'core.abbrev=11' 'a.b'", ["core.abbrev=11", "a.b"]),
        ("'a.b'='it'\\''s' 'c.d'=", [("a.b", "it's"), ("c.d", None)]),
        ("'a.b=c.d'='e=f'", [("a.b=c.d", "e=f")]),
        ("", []),
    ],
)
def test_quoted_settings(line: str, words: list[str | tuple[str, str | None]]) -> None:
    assert quoted_settings({"GIT_CONFIG_PARAMETERS": line}) == words


@pytest.mark.parametrize("line", ["bad", "'a.b'x", "'a.b"])
def test_badly_quoted_settings(line: str) -> None:
    with pytest.raises(GitError, match="bogus format in GIT_CONFIG_PARAMETERS"):
        quoted_settings({"GIT_CONFIG_PARAMETERS": line})


def ask(where: Where, *argv: str, **session: Any) -> tuple[int, bytes, bytes]:
    out, err = [], []
    status = answer(list(argv), Session(where, b"/", **session), Context(Limits()), out.append, err.append)
    return status, b"".join(out), b"".join(err)


def test_relative_places(unpack: Any) -> None:
    top = os.fsencode(os.path.realpath(unpack("plain")))
    rows = ask(Where(cwd=top), "ls-files")[1]
    assert ask(Where(cwd=top + b"/src", index=b"nosuch"), "ls-files") == (0, b"", b"")
    assert ask(Where(cwd=top, index=b".git/index"), "-C", "src", "ls-files", "--full-name", ":/")[1] == rows
    assert ask(Where(cwd=top, git_dir=b".git"), "rev-parse", "--git-dir")[1] == b".git\n"
    told = ask(Where(cwd=top, git_dir=b"nosuch"), "log")
    assert told == (128, b"", b"fatal: not a git repository: 'nosuch'\n")
    assert (
        ask(Where(cwd=top), "-C", "nosuch", "log")[2]
        == b"fatal: cannot change to 'nosuch': No such file or directory\n"
    )


def test_config_env_asks_who_knows_the_environment(unpack: Any) -> None:
    where = Where(cwd=os.fsencode(os.path.realpath(unpack("plain"))))
    front = ("--config-env=core.abbrev=LONG", "log", "-1", "--format=%h")
    assert len(ask(where, *front, variable={"LONG": "13"}.get)[1]) == 14
    assert ask(where, *front, variable={}.get)[:2] == (128, b"")
    assert ask(where, *front)[0] == 129


def test_a_dumb_terminal_has_no_colours(unpack: Any) -> None:
    where = Where(cwd=os.fsencode(os.path.realpath(unpack("plain"))))
    assert b"\x1b[" in ask(where, "log", "-1", is_tty=True)[1]
    dumb = ask(where, "log", "-1", is_tty=True, dumb=True)[1]
    assert b"\x1b[" not in dumb and b"(HEAD -> " in dumb


@pytest.mark.parametrize(
    ("env", "codeset", "bytewise"),
    [
        ({"LANG": "C.UTF-8"}, "UTF-8", False),
        ({"LC_ALL": "C"}, "ANSI_X3.4-1968", True),
        ({"LANG": "de_DE"}, "ISO-8859-1", True),
        ({"LC_CTYPE": "C.UTF-8"}, "UTF-8", True),  # Python's own doing
        ({"LC_CTYPE": "C.UTF-8", "LANG": "POSIX"}, "UTF-8", True),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "de_DE"}, "UTF-8", False),
        ({"LC_CTYPE": "de_DE.UTF-8"}, "UTF-8", False),
        ({"LC_ALL": "C.utf8", "LC_CTYPE": "C.UTF-8"}, "utf8", False),
    ],
)
def test_what_a_character_is(env: dict[str, str], codeset: str, bytewise: bool) -> None:
    assert byte_patterns(env, codeset) is bytewise


@pytest.mark.parametrize(
    ("codeset", "argv", "status"),
    [
        ("UTF-8", ["grep", "-q", "na.ve"], 0),
        ("ANSI_X3.4-1968", ["grep", "-q", "na.ve"], 1),
        ("ANSI_X3.4-1968", ["grep", "-q", "na..ve"], 0),
        ("ANSI_X3.4-1968", ["grep", "-q", "-P", "na.ve"], 1),
        ("UTF-8", ["grep", "-q", "-i", "NAÏVE"], 0),
        ("ANSI_X3.4-1968", ["grep", "-q", "-i", "NAÏVE"], 1),
    ],
)
def test_the_command_line_follows_the_locale(
    unpack: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, codeset: str, argv: list[str], status: int
) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(unpack("plain"), repo, symlinks=True)
    (repo / "README.md").write_text("naïve\n")
    monkeypatch.chdir(repo)
    monkeypatch.setenv("LC_ALL", "set")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("gitglass.cli.main.nl_langinfo", lambda _: codeset)
    assert main(argv) == status


def test_the_library_works_in_utf8() -> None:
    plain, bytewise = Context(Limits()), Context(Limits())
    bytewise.byte_patterns = True
    for kind in ("basic", "extended", "perl"):
        assert compile_pattern(b"^.$", kind, ctx=plain).test("é".encode())
        assert not compile_pattern(b"^.$", kind, ctx=bytewise).test("é".encode())
