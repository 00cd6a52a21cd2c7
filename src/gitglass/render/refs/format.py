"""Ref formats: `%(field)`s in text, with `%(if)…%(then)…%(else)…%(end)` and `%(align)…%(end)` around them.

A format is parsed once into a small tree and run for every ref. Errors in a field's name are raised at once, errors in
the structure when the first ref is printed: for an empty list none is raised, as in git. Mirrors
git-for-each-ref(1), "FIELD NAMES" and "--format".
"""

from collections.abc import Callable, Sequence

from ...annotations import Any
from ...config.config import Config
from ...deferred import lazy_pattern
from ...errors import BadRequest, TooLarge, text
from ...limits import paced
from ...records import field, record
from ...repo.store import Store
from ...revs.ref_filter import DETACHED, RefItem
from ..width import display_width
from .fields import Fields, Getter
from .versions import version_key

_TOKEN = lazy_pattern(rb"%(?:\(([^)]*)\)|([0-9a-fA-F]{2})|(%))")
_BLANK = b" \t\n\v\f\r"
_RESET = b"\x1b[m"
_DEEPEST = 64
_WIDEST = 1 << 20
Quote = Callable[[bytes], bytes]


# ---------------------------------------------------------------------------------------------------------- quoting


def quote_shell(value: bytes) -> bytes:
    """A text in single quotes for sh."""
    return b"'" + value.replace(b"'", b"'\\''").replace(b"!", b"'\\!'") + b"'"


def quote_perl(value: bytes) -> bytes:
    """A single-quoted Perl string."""
    return b"'" + value.replace(b"\\", b"\\\\").replace(b"'", b"\\'") + b"'"


def quote_python(value: bytes) -> bytes:
    """A Python string."""
    return b"'" + value.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"'", b"\\'") + b"'"


_TCL = {c: b"\\" + bytes([c]) for c in b'[]{}$\\"'} | {10: b"\\n", 12: b"\\f", 13: b"\\r", 9: b"\\t", 11: b"\\v"}


def quote_tcl(value: bytes) -> bytes:
    """A Tcl string."""
    return b'"' + b"".join([_TCL.get(c) or bytes([c]) for c in value]) + b'"'


QUOTES: dict[str, Quote] = {"shell": quote_shell, "perl": quote_perl, "python": quote_python, "tcl": quote_tcl}


# ------------------------------------------------------------------------------------------------------------- tree


@record
class _Align:
    """The position of the text in a field of some width."""

    width: int
    position: str

    def apply(self, value: bytes) -> bytes:
        room = self.width - display_width(value)
        if room <= 0:
            return value
        before = {"left": 0, "right": room}.get(self.position, room // 2)
        return b" " * before + value + b" " * (room - before)


@record
class _Test:
    """The condition of an `if`: not blank, or equal, or not equal to a text."""

    kind: str = ""
    value: bytes = b""

    def holds(self, value: bytes) -> bool:
        if self.kind == "equals":
            return value == self.value
        if self.kind == "notequals":
            return value != self.value
        return bool(value.strip(_BLANK))


@record
class _Node:
    """`align`: one branch; `if`: condition, then, else. `seen` is the last of the words then and else that was read."""

    test: _Test | None = None
    align: _Align | None = None
    parts: list[list["_Part"]] = field(default_factory=lambda: [[]])
    seen: str = "if"


_Part = bytes | Getter | _Node


def _positive(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None


def _parse_align(argument: str | None) -> _Align:
    if not argument:
        raise BadRequest("expected format: %(align:<width>,<position>)")
    width, position = None, "left"
    for word in argument.split(","):
        if word.startswith("position="):
            position = word[9:]
            if position not in ("left", "right", "middle"):
                raise BadRequest(f"unrecognized position:{position}")
        elif word.startswith("width="):
            width = _positive(word[6:])
            if width is None:
                raise BadRequest(f"unrecognized width:{word[6:]}")
        elif word in ("left", "right", "middle"):
            position = word
        elif _positive(word) is not None:
            width = _positive(word)
        else:
            raise BadRequest(f"unrecognized %(align) argument: {word}")
    if width is None:
        raise BadRequest("positive width expected with the %(align) atom")
    if width > _WIDEST:
        raise TooLarge(f"the width of %(align) is beyond {_WIDEST}", limit=_WIDEST)
    return _Align(width, position)


def _parse_if(argument: str | None) -> _Test:
    if not argument:
        return _Test()
    kind, equals, value = argument.partition("=")
    if not equals or kind not in ("equals", "notequals"):
        raise BadRequest(f"unrecognized %(if) argument: {argument}")
    return _Test(kind, value.encode("utf-8", "surrogateescape"))


class Malformed(BadRequest):
    """A format with a field that does not end. for-each-ref prints its usage then (129), branch and tag die."""


class RefFormat:
    """A parsed format. `show(item)` returns the line without its newline."""

    def __init__(self, form: bytes, fields: Fields, quote: Quote | None = None) -> None:
        self._tokens: list[tuple[str, object]] = []
        self._quote = quote
        self._tree: list[_Part] | None = None
        self._reset = False
        self._hazards = fields.hazards
        self._read(form, fields)

    def _read(self, form: bytes, fields: Fields) -> None:
        """Split text into tokens. Raises GitError for a field that git does not know."""
        at = 0
        for token in _TOKEN.finditer(form):
            if token.start() > at:
                self._literal(form[at : token.start()])
            at = token.end()
            if token[2] is not None:
                self._literal(bytes([int(token[2], 16)]))
            elif token[3] is not None:
                self._literal(b"%")
            else:
                self._field(token[1], fields)
        rest = form[at:]
        if b"%(" in rest:
            raise Malformed(f"malformed format string {text(rest[rest.find(b'%(') :])}", prefix="error", status=129)
        if rest:
            self._literal(rest)

    def _literal(self, value: bytes) -> None:
        self._tokens.append(("text", value))

    def _field(self, name: bytes, fields: Fields) -> None:
        word, colon, argument = name.partition(b":")
        given = text(argument) if colon else None
        if word == b"align":
            self._tokens.append(("align", _parse_align(given)))
        elif word == b"if":
            self._tokens.append(("if", _parse_if(given)))
        elif word in (b"then", b"else", b"end"):
            self._tokens.append((word.decode("ascii"), None))
        else:
            if word == b"color":
                self._reset = fields.color and argument != b"reset"
            self._tokens.append(("field", fields.parse(name)))

    def _build(self) -> list[_Part]:
        """Build a tree from tokens. Raises GitError if they do not nest."""
        top: list[_Part] = []
        stack: list[_Node] = []
        for kind, value in self._tokens:
            parts = stack[-1].parts[-1] if stack else top
            if kind == "text" or kind == "field":
                parts.append(value)  # type: ignore[arg-type]
            elif kind == "align" or kind == "if":
                node = _Node(align=value) if isinstance(value, _Align) else _Node(test=value)  # type: ignore[arg-type]
                parts.append(node)
                stack.append(node)
                if len(stack) > _DEEPEST:
                    raise TooLarge("format: nested too deeply")
            elif kind == "end":
                if not stack:
                    raise BadRequest("format: %(end) atom used without corresponding atom")
                if stack[-1].test is not None and stack[-1].seen == "if":
                    raise BadRequest("format: %(if) atom used without a %(then) atom")
                stack.pop()
            else:
                _next_branch(stack[-1] if stack else None, kind)
        if stack:
            raise BadRequest("format: %(end) atom missing")
        return top

    def shower(self) -> Getter:
        """The fastest function that does what `show` does."""
        if (
            len(self._tokens) == 1
            and self._tokens[0][0] == "field"
            and self._quote is None
            and not self._reset
            and not self._hazards
        ):
            return self._tokens[0][1]  # type: ignore[return-value]
        return self.show

    def show(self, item: RefItem) -> bytes:
        """One ref in this format. Raises GitError for an invalid structure or a missing object."""
        if self._tree is None:
            self._tree = self._build()
        for hazard in self._hazards:
            hazard(item)
        line = self._run(self._tree, item, self._quote)
        if not self._reset:
            return line
        return line + (_RESET if self._quote is None else self._quote(_RESET))  # git appends it as a field

    def _run(self, parts: Sequence[_Part], item: RefItem, quote: Quote | None) -> bytes:
        out: list[bytes] = []
        for part in paced(parts):
            if isinstance(part, bytes):
                out.append(part)
                continue
            value = self._node(part, item) if isinstance(part, _Node) else part(item)
            out.append(value if quote is None else quote(value))
        return b"".join(out)

    def _node(self, node: _Node, item: RefItem) -> bytes:
        if node.align is not None:
            return node.align.apply(self._run(node.parts[0], item, None))
        assert node.test is not None
        if node.test.holds(self._run(node.parts[0], item, None)):
            return self._run(node.parts[1], item, None)
        return self._run(node.parts[2], item, None) if len(node.parts) > 2 else b""


def _next_branch(node: _Node | None, kind: str) -> None:
    """`then` or `else` within the open node."""
    if node is None or node.test is None:
        raise BadRequest(f"format: %({kind}) atom used without a %(if) atom")
    if kind == "then":
        if node.seen == "then":
            raise BadRequest("format: %(then) atom used more than once")
        if node.seen == "else":
            raise BadRequest("format: %(then) atom used after %(else)")
    else:
        if node.seen == "if":
            raise BadRequest("format: %(else) atom used without a %(then) atom")
        if node.seen == "else":
            raise BadRequest("format: %(else) atom used more than once")
    node.seen = kind
    node.parts.append([])


# ---------------------------------------------------------------------------------------------------------- sorting


class RefOrder:
    """Sort keys as `--sort` takes them: `-` in front reverses, `version:` or `v:` compares versions.

    The last key is the most significant one; the name decides between refs whose keys are all equal.
    """

    def __init__(self, keys: Sequence[str], fields: Fields, *, ignore_case: bool = False) -> None:
        self._fold = ignore_case
        self._store = fields.store
        self._by_version = False
        self._keys = [self._parse(key, fields) for key in keys]

    def _parse(self, key: str, fields: Fields) -> tuple[Callable[[RefItem], object], bool]:
        reverse = key.startswith("-")
        name = key.removeprefix("-")
        plain = name.removeprefix("version:") if name.startswith("version:") else name.removeprefix("v:")
        raw = plain.encode("utf-8", "surrogateescape")
        if raw == b"refname" and plain == name:
            return (lambda item: _folded(item.name, self._fold)), reverse
        getter, is_text = fields.sorter(raw)
        if plain != name:
            self._by_version = True
            version = version_key(_suffixes(fields.store.config))
            return (lambda item: version(getter(item))), reverse  # type: ignore[arg-type]
        if is_text and self._fold:
            return (lambda item: _folded(getter(item), True)), reverse  # type: ignore[arg-type]
        return getter, reverse

    def sort(self, items: list[RefItem], *, detached_first: bool = False) -> None:
        """Sort in place a list that is sorted by name; `detached_first` keeps a detached HEAD before all others."""
        if self._by_version and len(items) > 1:
            _judge_suffixes(self._store)
        if self._fold:
            items.sort(key=lambda item: item.name.lower())
        for key, reverse in self._keys:
            values: list[Any] = [key(item) for item in paced(items)]
            order = sorted(range(len(items)), key=values.__getitem__, reverse=reverse)
            items[:] = [items[at] for at in order]
        if detached_first and (self._keys or self._fold):
            items.sort(key=lambda item: item.kind != DETACHED)


def _folded(value: bytes, fold: bool) -> bytes:
    return value.lower() if fold else value


def _judge_suffixes(store: Store) -> None:
    """git's warning for the older of the two settings beside the newer one, once versions are compared."""
    if store.config.has("versionsort.suffix") and store.config.has("versionsort.prereleasesuffix"):
        store.complaints.append_once("warning: ignoring versionsort.prereleasesuffix because versionsort.suffix is set")


def _suffixes(config: Config) -> list[bytes]:
    return config.get_all("versionsort.suffix") or config.get_all("versionsort.prereleasesuffix")
