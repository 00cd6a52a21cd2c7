"""bridge/settings.py: no setting that names a program reaches dulwich."""

from typing import Any

import pytest

from gitglass.bridge.settings import harmless


class Settings:
    """The items of a configuration."""

    def __init__(self, *items: tuple[bytes, bytes | None]) -> None:
        self._items = items

    def items(self) -> Any:
        return iter(self._items)


def told(*items: tuple[bytes, bytes | None]) -> list[tuple[tuple[bytes, ...], bytes, bytes]]:
    config: Any = Settings(*items)
    found = harmless(config)
    return [(section, name, value) for section in found.sections() for name, value in found.items(section)]


def test_harmless_settings_in_their_order() -> None:
    assert told(
        (b"core.bare", None), (b"remote.a.b.url", b"x"), (b"remote.a.b.fetch", b"+a:b"), (b"user.name", b"N")
    ) == [
        ((b"core",), b"bare", b"true"),
        ((b"remote", b"a.b"), b"url", b"x"),
        ((b"remote", b"a.b"), b"fetch", b"+a:b"),
        ((b"user",), b"name", b"N"),
    ]  # fmt: skip


def test_a_setting_that_is_there_twice_stays_so() -> None:
    config: Any = Settings((b"remote.o.fetch", b"a"), (b"remote.o.fetch", b"b"))
    assert list(harmless(config).get_multivar((b"remote", b"o"), b"fetch")) == [b"a", b"b"]


@pytest.mark.parametrize(
    "key",
    [b"core.fsmonitor", b"core.editor", b"core.hookspath", b"core.sshcommand", b"core.gitproxy", b"core.pager",
     b"core.worktree", b"credential.helper", b"filter.evil.clean", b"filter.evil.smudge", b"gpg.program",
     b"user.signingkey", b"remote.o.uploadpack", b"remote.o.vcs", b"diff.external", b"diff.x.command",
     b"include.path", b"alias.x", b"url.x.insteadof", b"http.proxy", b"bare"],
)  # fmt: skip
def test_what_could_run_or_lead_elsewhere_is_left_out(key: bytes) -> None:
    assert told((key, b"touch x")) == []
