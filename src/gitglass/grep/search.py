"""git grep: search the files that were asked for; results file by file, as they are found.

Mirrors git grep(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..diff.lines.userdiff import DEFAULT, Driver, driver_for, is_binary
from ..limits import Context, watched
from ..paths.attributes import attributes_of
from ..records import field, record
from ..repo.store import Store
from ..worktree.smudge import refuse_conversion
from .file import Row, count_others, every_part, rows_of, selected
from .sources import GrepSpec, Unread, sources


@record
class Result:
    """One file with something to show. `tree` is what stands in front of the path (b"HEAD:" or nothing).

    `kind`: "lines", "count", "name", "binary" or "any".
    """

    kind: str
    tree: bytes
    path: bytes
    data: bytes = b""
    rows: list[Row] = field(default_factory=list)
    count: int = 0


def grep(store: Store, spec: GrepSpec, *, ctx: Context, unread: Unread | None = None) -> Iterator[Result]:
    """All matches, in git's order. Raises what reading an object raises; `unread` may take note of missing ones."""
    if spec.show.max_count == 0:
        return
    searcher, needle = _Searcher(store, spec, ctx), _needle(spec)
    for tree, path, shown, data in sources(store, spec, ctx, unread):
        ctx.tick()
        if data is None or needle not in data:
            continue
        result = searcher.search(tree, path, shown, data)
        if result is not None:
            yield result


def _needle(spec: GrepSpec) -> bytes:
    """Text without which nothing is shown of a file; empty where none is known, and where files are shown that no line
    is selected of, or refused unseen."""
    others = spec.show.invert or spec.textconv or spec.want.endswith("other") or spec.want == "others"
    needles = () if others else spec.query.needles
    return needles[0] if len(needles) == 1 else b""


class _Searcher:
    """Looks one file through after another."""

    __slots__ = ("_ctx", "_drivers", "_spec", "_store")

    def __init__(self, store: Store, spec: GrepSpec, ctx: Context) -> None:
        self._store = store
        self._spec = spec
        self._ctx = ctx
        self._drivers: dict[object, Driver] = {}

    def search(self, tree: bytes, path: bytes | None, shown: bytes, data: bytes) -> Result | None:
        """`path` is where attributes are looked up, `shown` what is printed."""
        spec = self._spec
        if spec.textconv and path is not None:
            refuse_conversion(self._store, path, "grep")
        if spec.binary == "skip" and self._is_binary(path, data):
            return None
        if spec.query.all_match and not every_part(data, spec.query, spec.show):
            return None  # not even a file without a match (-L)
        if spec.want == "count" and spec.show.invert and spec.query.expression is None:
            count = count_others(data, spec.query)
            limit = spec.show.max_count
            count = count if limit < 0 else min(count, limit)
            return Result("count", tree, shown, count=count) if count else None
        hits = watched(selected(data, spec.query, spec.show, self._ctx))
        first = next(hits, None)
        if spec.want.endswith("other") or spec.want == "others":
            return Result("any" if spec.want == "any-other" else "name", tree, shown) if first is None else None
        if first is None:
            return None
        if spec.want == "any":
            return Result("any", tree, shown)
        if spec.want == "names":
            return Result("name", tree, shown)
        if spec.want == "count":
            count, limit = 1, spec.show.max_count
            for _ in hits:
                if limit >= 0 and count >= limit:
                    break
                count += 1
            return Result("count", tree, shown, count=count)
        if not spec.binary and self._is_binary(path, data):
            return Result("binary", tree, shown)
        rows = rows_of(data, _again(first, hits), spec.show, self._namer(path), spec.query)
        return Result("lines", tree, shown, data, rows)

    def _driver(self, path: bytes | None) -> Driver:
        if path is None:
            return DEFAULT
        value = attributes_of(self._store).get(path, b"diff")
        driver = self._drivers.get(value)
        if driver is None:
            driver = self._drivers[value] = driver_for(value, self._store.config)
        return driver

    def _is_binary(self, path: bytes | None, data: bytes) -> bool:
        binary = self._driver(path).binary
        return is_binary(data) if binary is None else binary

    def _namer(self, path: bytes | None) -> Callable[[bytes], bool]:
        show = self._spec.show
        if not (show.function or show.function_body):
            return _names_function
        finder = self._driver(path).finder
        if finder is None:
            return _names_function
        # strange but git's: a CR at the end of the line counts, which the finder leaves out as it does for a diff
        return lambda line: finder(line + b"\r" if line.endswith(b"\r") else line) is not None


def _names_function(line: bytes) -> bool:
    """git's rule where no driver has one: a letter, `_` or `$` at the front."""
    return line[:1].isalpha() or line[:1] in (b"_", b"$")


def _again(first: tuple[int, int, int], rest: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    yield first
    yield from rest
