"""Refs that `--exclude` and `--exclude-hidden` remove from the `--all`, `--glob=…`, `--branches`, … that follows.

See git-rev-list(1) for the options, and git-config(1), transfer.hideRefs, for hidden refs.
"""

from collections.abc import Sequence

from ..config.config import missing_value
from ..errors import BadRequest, text
from ..paths.wildmatch import Matcher, any_of
from ..refs.names import namespace_front
from ..repo.store import Store

_SECTIONS = (b"receive", b"uploadpack")


class Exclusions:
    """The exclusions in effect at one point of a command line, until `clear`."""

    __slots__ = ("_fits", "_hidden", "_namespace", "_patterns", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._patterns: list[bytes] = []
        self._fits: Matcher | None = None  # the patterns, when they are first needed
        self._hidden: list[bytes] | None = None
        self._namespace = b""

    def add(self, pattern: bytes) -> None:
        """`--exclude=PATTERN`."""
        self._patterns.append(pattern)
        self._fits = None

    def hide(self, section: bytes) -> None:
        """`--exclude-hidden=SECTION`. Raises BadRequest for an unknown section or a second one, BadConfig."""
        if section not in _SECTIONS:
            raise BadRequest(f"unsupported section for hidden refs: {text(section)}")
        if self._hidden is not None:
            raise BadRequest("--exclude-hidden= passed more than once")
        self._hidden = hidden_patterns(self._store, section)
        front = namespace_front(self._store.where.namespace)
        self._namespace = front + b"/" if front else b""

    def check(self, option: str) -> None:
        """Raises BadRequest for `--branches`, `--tags` and `--remotes` after `--exclude-hidden`, as git does."""
        if self._hidden is not None:
            raise BadRequest(barred(option), prefix="error")

    def cover(self, shown: bytes, name: bytes) -> bool:
        """Whether a ref is excluded: `shown` is matched with the patterns, `name` is its full name."""
        if self._patterns:
            if self._fits is None:
                self._fits = any_of(self._patterns)
            if self._fits(shown):
                return True
        return bool(self._hidden) and is_hidden(name, self._hidden or (), self._namespace)

    def clear(self) -> None:
        """Drop all exclusions after an option such as `--all`: later options start without any."""
        self._patterns.clear()
        self._fits = None
        self._hidden = None


def barred(option: str) -> str:
    """git's error for an option that may not follow `--exclude-hidden`."""
    return f"--exclude-hidden cannot be used together with {option}"


def can_hide(section: str) -> bool:
    """Whether that section has settings that hide refs."""
    return section.encode("utf-8", "surrogateescape") in _SECTIONS


def hidden_patterns(store: Store, section: bytes) -> list[bytes]:
    """The values of transfer.hideRefs and SECTION.hideRefs, lowest precedence first. Raises BadConfig."""
    keys = (b"transfer.hiderefs", section + b".hiderefs")
    patterns: list[bytes] = []
    for entry in store.config.entries:
        if entry.key in keys:
            if entry.value is None:
                raise missing_value(entry)
            patterns.append(entry.value.rstrip(b"/"))
    return patterns


def is_hidden(name: bytes, patterns: Sequence[bytes], namespace: bytes = b"") -> bool:
    """Whether the last pattern that a ref lies at or below hides it: a leading `!` shows it again.

    A pattern is compared with the name inside of the namespace, whose refs' names begin with `namespace`: a ref outside
    of it has none. After `^` the whole name is compared (git-config(1), transfer.hideRefs).
    """
    inner = name[len(namespace) :] if name.startswith(namespace) else None
    for pattern in reversed(patterns):
        negated = pattern.startswith(b"!")
        front = pattern[negated:]
        compared = inner
        if front.startswith(b"^"):
            compared, front = name, front[1:]
        if compared is None or not compared.startswith(front):
            continue
        if compared[len(front) : len(front) + 1] in (b"", b"/"):
            return not negated
    return False
