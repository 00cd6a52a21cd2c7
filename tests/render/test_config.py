"""`git config`: values by type, and the lines that show them."""

from typing import Any

import pytest

from gitglass.config.config import Config, Entry, Source
from gitglass.errors import BadConfig
from gitglass.render.config import shown, typed

LOCAL = Source("local", b"file:.git/config")
COMMAND = Source("command", b"command line:")
DEFAULT = Source("unknown", b"command line:")
CONFIG = Config(home=b"/home/me")


def entry(value: bytes | None, source: Source = LOCAL, line: int = 3) -> Entry:
    return Entry(b"a.b", value, line, source)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (None, None, None),
        (b"x", None, b"x"),
        (None, "bool", b"true"),
        (b"Yes", "bool", b"true"),
        (b"", "bool", b"false"),
        (b"2", "bool", b"true"),
        (b"1k", "int", b"1024"),
        (b"-010", "int", b"-8"),
        (b"1", "bool-or-int", b"1"),
        (b"on", "bool-or-int", b"true"),
        (None, "bool-or-int", b"true"),
        (b"1", "bool-or-str", b"true"),
        (b"word", "bool-or-str", b"word"),
        (b"~/x", "path", b"/home/me/x"),
        (b"red", "color", b"\x1b[31m"),
        (b"never", "expiry-date", b"0"),
        (b"all", "expiry-date", b"18446744073709551615"),
        (b"1 day ago", "expiry-date", b"1699913600"),
    ],
)
def test_values_by_type(value: bytes | None, kind: str | None, expected: bytes | None) -> None:
    assert typed(entry(value), kind, CONFIG, 1_700_000_000) == expected


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (entry(b"x"), "bool", "bad boolean config value 'x' for 'a.b'"),
        (entry(b"1x"), "int", "bad numeric config value '1x' for 'a.b' in file .git/config: invalid unit"),
        (entry(b"x", COMMAND, 0), "int", "bad numeric config value 'x' for 'a.b': invalid unit"),
        (
            entry(b"9223372036854775808"),
            "int",
            "bad numeric config value '9223372036854775808' for 'a.b' in file .git/config: out of range",
        ),
        (entry(None), "path", "missing value for 'a.b'\nfatal: bad config line 3 in file .git/config"),
        (
            entry(b"soon?"),
            "expiry-date",
            "'soon?' for 'a.b' is not a valid timestamp\nfatal: bad config line 3 in file .git/config",
        ),
        (entry(b"nocolour"), "color", "invalid color value: nocolour\nfatal: bad config line 3 in file .git/config"),
        (
            entry(b"nocolour", COMMAND, 0),
            "color",
            "invalid color value: nocolour\nfatal: unable to parse command-line config",
        ),
        (entry(None, COMMAND, 0), "path", "missing value for 'a.b'\nfatal: unable to parse command-line config"),
        (entry(b"x", DEFAULT, 0), "int", "bad numeric config value 'x' for 'a.b': invalid unit"),
        (
            entry(b"soon?", DEFAULT, 0),
            "expiry-date",
            "'soon?' for 'a.b' is not a valid timestamp\nfatal: failed to format default config value: soon?",
        ),
    ],
)
def test_complaints(given: Entry, kind: str, message: str) -> None:
    with pytest.raises(BadConfig) as raised:
        typed(given, kind, CONFIG, 1_700_000_000)
    assert raised.value.message == message


def test_the_greatest_number() -> None:
    assert typed(entry(b"9223372036854775807"), "int", CONFIG, 0) == b"9223372036854775807"


def line(value: bytes | None = b"v", **asked: bool) -> bytes:
    words: Any = dict.fromkeys(("key", "name_only", "null", "origin", "scope", "list_form"), False)
    return shown(entry(value), value, **(words | asked))


def test_lines() -> None:
    assert line() == b"v\n"
    assert line(key=True) == b"a.b v\n"
    assert line(key=True, list_form=True) == b"a.b=v\n"
    assert line(key=True, list_form=True, null=True) == b"a.b\nv\0"
    assert line(key=True, name_only=True) == b"a.b\n"
    assert line(None, key=True, list_form=True) == b"a.b\n"
    assert line(scope=True, origin=True) == b"local\tfile:.git/config\tv\n"
    assert line(scope=True, origin=True, null=True) == b"local\0file:.git/config\0v\0"


@pytest.mark.parametrize(
    ("origin", "quoted"),
    [
        (b"file:sp c", b"file:sp c"), (b"file:a\tb", rb'file:"a\tb"'), (b'blob:HEAD:"', rb'blob:"HEAD:\""'),
        ("file:ä".encode(), rb'file:"\303\244"'), (b"command line:", b"command line:"),
    ],
)  # fmt: skip
def test_a_source_is_quoted_in_lines(origin: bytes, quoted: bytes) -> None:
    """Whatever core.quotePath says; with -z it is not."""
    words: Any = dict.fromkeys(("key", "name_only", "scope", "list_form"), False)
    one = entry(b"v", Source("local", origin))
    assert shown(one, b"v", **words, null=False, origin=True) == quoted + b"\tv\n"
    assert shown(one, b"v", **words, null=True, origin=True) == origin + b"\0v\0"
