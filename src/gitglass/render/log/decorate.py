"""Decorations: the names of refs beside the commits they point at, as `git log --decorate` writes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...annotations import Protocol
from ...limits import Context
from ...paths.wildmatch import any_of
from ...repo.store import Store
from ..color import Palette

HEAD, BRANCH, REMOTE, TAG, STASH, GRAFTED, OTHER = range(7)
_SLOTS = {
    HEAD: "decorate_head",
    BRANCH: "decorate_branch",
    REMOTE: "decorate_remote_branch",
    TAG: "decorate_tag",
    STASH: "decorate_stash",
    GRAFTED: "decorate_grafted",
}
_PREFIXES = ((b"refs/heads/", BRANCH), (b"refs/remotes/", REMOTE), (b"refs/tags/", TAG))
_SHORTENED = (b"refs/heads/", b"refs/tags/", b"refs/remotes/")


class _Patterns:
    """Some ref patterns: those without wildcards mean a ref, or everything below it."""

    __slots__ = ("_below", "_fits", "_names", "_wild")

    def __init__(self, patterns: Sequence[bytes]) -> None:
        full = [text if text.startswith(b"refs/") or text == b"HEAD" else b"refs/" + text for text in patterns]
        full = [text.removesuffix(b"/") for text in full]
        self._wild = [text for text in full if any(char in text for char in b"*?[\\")]
        self._fits = any_of(self._wild)
        wild = frozenset(self._wild)
        self._names = frozenset(text for text in full if text not in wild)
        self._below = tuple(text + b"/" for text in self._names)

    def __bool__(self) -> bool:
        return bool(self._wild or self._names)

    def match(self, ref: bytes) -> bool:
        if ref.startswith(self._below) or ref in self._names:
            return True
        return bool(self._wild) and self._fits(ref)


class RefFilter:
    """The filter of decorating refs: exclusions first, then inclusions (if any), then those of
    log.excludeDecoration."""

    __slots__ = ("_configured", "_exclude", "_include")

    def __init__(self, include: Sequence[bytes], exclude: Sequence[bytes], configured: Sequence[bytes]) -> None:
        self._include = _Patterns(include)
        self._exclude = _Patterns(exclude)
        self._configured = _Patterns(configured)

    def __call__(self, ref: bytes) -> bool:
        if self._exclude and self._exclude.match(ref):
            return False
        if self._include:
            return self._include.match(ref)
        return not self._configured.match(ref)


#: what is shown without any setting: no notes, no bookkeeping refs
_USUAL_REFS = (b"HEAD", b"refs/heads", b"refs/tags", b"refs/remotes", b"refs/stash")
_REPLACE = b"refs/replace/"
_USUAL = RefFilter((*_USUAL_REFS, _REPLACE), (), ())
_EVERY_REF = RefFilter((), (), ())


def usual_filter(
    store: Store, *, include: Sequence[bytes] = (), exclude: Sequence[bytes] = (), clear: bool = False
) -> RefFilter:
    """The filter of git log: from its options, the configuration, and git's defaults."""
    configured = store.config.get_all("log.excludeDecoration")
    everything = clear or store.config.get("log.initialDecorationSet") == b"all"
    if not include and not exclude and not configured:
        base = store.where.replace_base
        if base == _REPLACE or everything:
            return _EVERY_REF if everything else _USUAL
        return RefFilter((*_USUAL_REFS, base), (), ())
    return RefFilter(include, exclude, configured)


class Decorations:
    """The decorated objects of a repository, gathered on first use: by every ref, or by those that a filter accepts.

    git log, show, whatchanged and reflog filter (log.excludeDecoration, log.initialDecorationSet, `--decorate-refs`);
    plumbing, format-patch and shortlog know no filter, whatever is configured.
    """

    __slots__ = ("_branch", "_by_oid", "_ctx", "_filter", "_full", "_store", "distances", "distances_first")

    def __init__(self, store: Store, *, ctx: Context, full: bool = False, accept: RefFilter | None = None) -> None:
        self._store, self._ctx, self._full = store, ctx, full
        self._filter = _EVERY_REF if accept is None else accept
        #: what --bisect-all shows among the names: the distances of commits from the ends of their list, known by the
        #: time that the first name is asked for; behind the refs, or in front of them if git has read those before
        self.distances: Callable[[], Mapping[bytes, int]] | None = None
        self.distances_first = False
        self._by_oid: dict[bytes, list[tuple[int, bytes]]] | None = None
        self._branch: bytes | None = None

    @property
    def by_oid(self) -> dict[bytes, list[tuple[int, bytes]]]:
        """oid → (kind, full name) of each ref, in the order in which they are shown."""
        if self._by_oid is None:
            self._by_oid = self._gather()
        return self._by_oid

    def oids(self) -> dict[bytes, list[tuple[int, bytes]]]:
        """Every decorated object (for --simplify-by-decoration)."""
        return self.by_oid

    def names(self, oid: bytes) -> list[bytes]:
        """The names that decorate an object, as shown: `HEAD -> main`, `tag: v1`."""
        return [b"".join(text for _, text in words) for words in self._words(oid)]

    def text(self, oid: bytes, palette: Palette, wrap: tuple[bytes, bytes, bytes] = (b" (", b", ", b")")) -> bytes:
        """The text beside a commit (` (HEAD -> main, tag: v1)`), b"" if nothing points at it."""
        if oid not in self.by_oid:
            return b""
        opening, between, closing = wrap
        if not palette:
            return opening + between.join(self.names(oid)) + closing
        commit, reset = palette.diff_commit, palette.reset
        out: list[bytes] = []
        before = opening
        for words in self._words(oid):
            out += (commit, before, reset)
            for kind, text in words:
                out += (getattr(palette, _SLOTS[kind]) if kind in _SLOTS else reset, text, reset)
            before = between
        return b"".join([*out, commit, closing, reset])

    def _words(self, oid: bytes) -> Iterator[list[tuple[int, bytes]]]:
        """The pieces of each name, with the kind that decides their colour: HEAD is shown with its branch."""
        refs = self.by_oid.get(oid, ())
        current = (BRANCH, self._branch)
        joined = current in refs and any(kind == HEAD for kind, _ in refs)
        for kind, name in refs:
            shown = self._shown(name)
            if kind == HEAD and joined and self._branch is not None:
                yield [(HEAD, shown + b" -> "), (BRANCH, self._shown(self._branch))]
            elif not (joined and (kind, name) == current):
                yield [(kind, b"tag: " + shown if kind == TAG else shown)]

    def _shown(self, name: bytes) -> bytes:
        if not self._full:
            for prefix in _SHORTENED:
                if name.startswith(prefix):
                    return name[len(prefix) :]
        return name

    def _gather(self) -> dict[bytes, list[tuple[int, bytes]]]:
        """Refs in their order, then HEAD, then grafts; each is put before the earlier ones."""
        store, accept, tick = self._store, self._filter, self._ctx.tick
        refs: dict[bytes, list[tuple[int, bytes]]] = {}
        peeled, base = store.refs.peeled, store.where.replace_base
        for name, oid in store.refs.iterate():
            tick()
            if not accept(name):
                continue
            if name.startswith(base):
                if store.replace and (replaced := self._replaced(name, len(base))) is not None:
                    refs.setdefault(replaced, []).append((GRAFTED, b"replaced"))
                continue
            kind = _kind(name)
            refs.setdefault(oid, []).append((kind, name))
            if kind != BRANCH and (target := peeled(name, oid)) is not None:
                refs.setdefault(target, []).append((TAG, name))
        self._branch, head = store.refs.head()
        if head is not None and accept(b"HEAD"):
            refs.setdefault(head, []).append((HEAD, b"HEAD"))
        for oid in store.odb.grafted:
            refs.setdefault(oid, []).append((GRAFTED, b"grafted"))
        for names in refs.values():
            names.reverse()
        for oid, distance in () if self.distances is None else self.distances().items():
            names = refs.setdefault(oid, [])
            names.insert(0 if self.distances_first else len(names), (OTHER, b"dist=%d" % distance))
        return refs

    def _replaced(self, name: bytes, start: int) -> bytes | None:
        """The object that a replace ref is named after; the object it points at is not read."""
        digits = name[start : start + self._store.hex_len]
        try:
            oid = bytes.fromhex(digits.decode("ascii"))
        except ValueError:
            oid = b""
        if 2 * len(oid) == self._store.hex_len and b" " not in digits:
            return oid
        self._ctx.say(b"warning: invalid replace ref " + name + b"\n")
        return None


def _kind(name: bytes) -> int:
    for prefix, kind in _PREFIXES:
        if name.startswith(prefix):
            return kind
    return STASH if name == b"refs/stash" else OTHER


class Options(Protocol):
    """The options read here: those of `request.pretty.PrettyOptions`."""

    @property
    def decorate_refs(self) -> list[str]: ...
    @property
    def decorate_refs_exclude(self) -> list[str]: ...
    @property
    def clear_decorations(self) -> bool: ...


def decorations_of(
    store: Store, options: Options, ctx: Context, *, full: bool = False, filtered: bool = True
) -> Decorations:
    """The refs beside commits, as the options and the configuration ask for; every ref if not `filtered`."""
    if not filtered:
        return Decorations(store, ctx=ctx, full=full)
    accept = usual_filter(
        store,
        include=[_raw(pattern) for pattern in options.decorate_refs],
        exclude=[_raw(pattern) for pattern in options.decorate_refs_exclude],
        clear=options.clear_decorations,
    )
    return Decorations(store, ctx=ctx, full=full, accept=accept)


def _raw(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")
