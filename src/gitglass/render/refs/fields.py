"""The fields of ref formats: `%(refname:short)`, `%(*committerdate:iso)`, `%(upstream:track)` and all the others.

A field's text is parsed once into a function from a ref to bytes, and another from a ref to its sort key. The
structure around fields (`%(if)`, `%(align)`) is in `refs/format.py`. Mirrors git-for-each-ref(1), "FIELD NAMES".
"""

from collections.abc import Callable
from functools import partial

from ...annotations import TypeVar
from ...errors import BadRequest, GitError, NotFound, text
from ...revs.abbrev import MINIMUM
from ...revs.names import HEADS, push_remote, pushed_as
from ...revs.ref_filter import DETACHED, RefItem
from ..color import parse_color
from ..dates import DEFAULT, dater, parse_date_mode
from ..log.trailers import format_trailers, parse_trailer_options, trailer_rules, unread_option
from .environment import RefEnv
from .text import Parts, header, person_mail, person_name, sanitize, when

T = TypeVar("T")
Getter = Callable[[RefItem], bytes]
Sorter = Callable[[RefItem], object]
_BOUND = 1 << 31


Made = tuple[Getter, Sorter | None]


def _bad(name: str, argument: str, full: bool = False) -> GitError:
    shown = f"{name}:{argument}" if full else name
    return BadRequest(f"unrecognized %({shown}) argument: {argument}")


# -------------------------------------------------------------------------------------------------- names of refs


def _name_form(env: RefEnv, name: str, argument: str | None) -> Callable[[bytes], bytes]:
    """The function that `short`, `lstrip=`, `rstrip=`, `strip=`, or an empty text applies to a full name."""
    if not argument:
        return lambda ref: ref
    if argument == "short":
        return env.short
    word, equals, count = argument.partition("=")
    if equals and word in ("lstrip", "strip", "rstrip"):
        try:
            number = int(count)
        except ValueError:
            raise BadRequest(f"Integer value expected {name}:{argument}") from None
        return partial(_rstrip if word == "rstrip" else _lstrip, number)
    raise _bad(env.star + name, argument, full=True)


def _lstrip(count: int, ref: bytes) -> bytes:
    """Remove parts from the front; below zero: the number of parts to leave."""
    if count >= 0:
        parts = ref.split(b"/", count)
        return parts[count] if len(parts) > count else b""
    parts = ref.split(b"/")
    return b"/".join(parts[max(len(parts) + count, 0) :])


def _rstrip(count: int, ref: bytes) -> bytes:
    parts = ref.split(b"/")
    keep = len(parts) - count if count >= 0 else min(-count, len(parts))
    return b"/".join(parts[: max(keep, 0)])


def _refname(env: RefEnv, name: str, argument: str | None) -> Made:
    form = _name_form(env, name, argument)

    def get(item: RefItem) -> bytes:
        if item.kind == DETACHED:
            return env.head_label() if env.head_label is not None else item.name
        return form(item.name)

    return get, None


def _symref(env: RefEnv, name: str, argument: str | None) -> Made:
    form = _name_form(env, name, argument)
    return lambda item: b"" if item.target is None else form(item.target), None


def _head(env: RefEnv, name: str, argument: str | None) -> Made:
    return lambda item: b"*" if item.name == env.head else b" ", None


def _flag(env: RefEnv, name: str, argument: str | None) -> Made:
    def get(item: RefItem) -> bytes:
        packed = b"packed" if env.store.refs.is_packed(item.target or item.name) else b""
        return b",".join([word for word in (b"symref" if item.target is not None else b"", packed) if word])

    return get, None


def _worktreepath(env: RefEnv, name: str, argument: str | None) -> Made:
    return env.worktree_path, None


def _color(env: RefEnv, name: str, argument: str | None) -> Made:
    if argument is None:
        raise BadRequest("expected format: %(color:<color>)")
    try:
        code = parse_color(argument.encode("utf-8", "surrogateescape"))
    except GitError as error:
        raise BadRequest(f"{error.message}\nfatal: unrecognized color: %(color:{argument})", prefix="error") from None
    code = code if env.color else b""
    return lambda item: code, None


# ----------------------------------------------------------------------------------------------- upstream and push


def _remote_ref(env: RefEnv, name: str, argument: str | None) -> Made:
    push = name == "push"
    words = argument.split(",") if argument else []
    bracket = "nobracket" not in words
    # what a push does at the remote is known without a ref here that follows it
    at_remote = push and not {"remotename", "remoteref"}.isdisjoint(words)
    getter: Callable[[RefItem, bytes], bytes] | None = None
    for word in words:
        if word == "track":
            getter = partial(_track, env, push, bracket)
        elif word == "trackshort":
            getter = partial(_trackshort, env, push)
        elif word == "remotename":
            getter = _remote_name(env, push)
        elif word == "remoteref":
            getter = partial(_remote_branch, env, push)
        elif word != "nobracket":
            getter = partial(_formed, _name_form(env, name, argument))

    def get(item: RefItem) -> bytes:
        target = env.upstream(item.name, push)
        if target is None and not (at_remote and item.name.startswith(HEADS)):
            return b""
        return getter(item, target or b"") if getter is not None else target or b""

    return get, None


def _formed(form: Callable[[bytes], bytes], item: RefItem, target: bytes) -> bytes:
    return form(target)


def _track(env: RefEnv, push: bool, bracket: bool, item: RefItem, target: bytes) -> bytes:
    counts = env.ahead_behind(item, push)
    if counts is None:
        words = b"gone"
    else:
        ahead, behind = counts
        pieces = [b"ahead %d" % ahead if ahead else b"", b"behind %d" % behind if behind else b""]
        words = b", ".join([piece for piece in pieces if piece])
    return b"[%b]" % words if words and bracket else words


def _trackshort(env: RefEnv, push: bool, item: RefItem, target: bytes) -> bytes:
    counts = env.ahead_behind(item, push)
    if counts is None:
        return b""
    return {(False, False): b"=", (True, False): b">", (False, True): b"<"}.get((counts[0] > 0, counts[1] > 0), b"<>")


def _remote_name(env: RefEnv, push: bool) -> Callable[[RefItem, bytes], bytes]:
    """The remote, if the configuration names it (a default one does not count)."""
    store = env.store

    def get(item: RefItem, target: bytes) -> bytes:
        branch = item.name[len(HEADS) :]
        chosen = push_remote(store, branch) if push else store.config.get(b"branch." + branch + b".remote")
        return chosen or b""

    return get


def _remote_branch(env: RefEnv, push: bool, item: RefItem, target: bytes) -> bytes:
    """The ref's name at the remote: what a push makes of it by refspecs, or what it is merged from."""
    branch = item.name[len(HEADS) :]
    if push:
        return pushed_as(env.store, branch) or b""
    merges = env.store.config.get_all(b"branch." + branch + b".merge")
    return merges[0] if merges else b""


# ----------------------------------------------------------------------------------------------------- any object


def _no_argument(name: str, argument: str | None) -> None:
    if argument:
        raise BadRequest(f"%({name}) does not take arguments")


def _objecttype(env: RefEnv, name: str, argument: str | None) -> Made:
    _no_argument(name, argument)
    return lambda item: env.seen(item.oid).kind, None


def _objectsize(env: RefEnv, name: str, argument: str | None) -> Made:
    if argument == "disk":
        size: Callable[[RefItem], int] = lambda item: env.store.odb.disk_size(item.oid)  # noqa: E731
    elif not argument:
        size = lambda item: env.seen(item.oid).size  # noqa: E731
    else:
        raise _bad(name, argument)
    return lambda item: b"%d" % size(item), size


def _deltabase(env: RefEnv, name: str, argument: str | None) -> Made:
    _no_argument(name, argument)
    return lambda item: env.store.odb.delta_base(item.oid).hex().encode("ascii"), None


def _oid_form(env: RefEnv, name: str, argument: str | None) -> Callable[[bytes], bytes]:
    """An oid whole, `short`, or `short=<digits>`."""
    if not argument:
        return lambda oid: oid.hex().encode("ascii")
    if argument == "short":
        return partial(env.abbreviate, None)
    if argument.startswith("short="):
        return partial(env.abbreviate, max(_positive(name, argument), MINIMUM))
    raise _bad(env.star + name if name == "objectname" else name, argument, full=name == "objectname")


def _positive(name: str, argument: str) -> int:
    digits = argument.partition("=")[2]
    if not digits.isascii() or not digits.isdigit() or not 0 < int(digits[:12]) < _BOUND:
        raise BadRequest(f"positive value expected '{digits}' in %({name}:{argument})")
    return int(digits)


def _objectname(env: RefEnv, name: str, argument: str | None) -> Made:
    form = _oid_form(env, name, argument)
    return lambda item: form(item.oid), None


def _raw(env: RefEnv, name: str, argument: str | None) -> Made:
    if argument == "size":
        return lambda item: b"%d" % env.seen(item.oid).size, None
    if argument:
        raise _bad(name, argument)
    return lambda item: env.seen(item.oid).raw, None


# ------------------------------------------------------------------------------------------------ commits and tags


def _tree(env: RefEnv, name: str, argument: str | None) -> Made:
    form = _oid_form(env, name, argument)

    def get(item: RefItem) -> bytes:
        tree = env.seen(item.oid).header(b"tree", b"commit")
        return form(bytes.fromhex(tree.decode("ascii"))) if tree is not None else b""

    return get, None


def _parents(env: RefEnv, item: RefItem) -> tuple[bytes, ...]:
    return env.store.odb.commit_facts(item.oid)[0] if env.seen(item.oid).kind == b"commit" else ()


def _parent(env: RefEnv, name: str, argument: str | None) -> Made:
    form = _oid_form(env, name, argument)
    return lambda item: b" ".join([form(oid) for oid in _parents(env, item)]), None


def _numparent(env: RefEnv, name: str, argument: str | None) -> Made:
    def get(item: RefItem) -> bytes:
        return b"%d" % len(_parents(env, item)) if env.seen(item.oid).kind == b"commit" else b""

    return get, lambda item: len(_parents(env, item))


def _of_tag(env: RefEnv, name: str, argument: str | None) -> Made:
    """object, type, tag."""
    key = name.encode("ascii")
    return lambda item: env.seen(item.oid).header(key, b"tag") or b"", None


#: field → (header of a commit, header of a tag)
_PEOPLE: dict[str, tuple[bytes, bytes]] = {
    "author": (b"author", b""),
    "committer": (b"committer", b""),
    "tagger": (b"", b"tagger"),
    "creator": (b"committer", b"tagger"),
}


def _ident(env: RefEnv, role: str) -> Getter:
    of_commit, of_tag = _PEOPLE[role]

    def get(item: RefItem) -> bytes:
        seen = env.seen(item.oid)
        raw = seen.raw
        if seen.kind == b"commit" and of_commit:
            return header(raw, of_commit) or b""
        return header(raw, of_tag) or b"" if seen.kind == b"tag" and of_tag else b""

    return get


def _person(env: RefEnv, name: str, argument: str | None) -> Made:
    return _ident(env, name), None


def _name_of(env: RefEnv, name: str, argument: str | None) -> Made:
    ident = _ident(env, name.removesuffix("name"))
    return lambda item: person_name(ident(item)), None


def _mail_of(env: RefEnv, name: str, argument: str | None) -> Made:
    if argument and argument not in ("trim", "localpart"):
        raise BadRequest(f"unrecognized email option: {argument}")
    ident = _ident(env, name.removesuffix("email"))
    rest = _from_ident(env, name.removesuffix("email"))

    def get(item: RefItem) -> bytes:
        line = ident(item)
        whole = argument != "localpart" and b">" in line.partition(b"<")[2]
        return person_mail(line if whole else rest(item), argument or "")

    return get, None


def _from_ident(env: RefEnv, role: str) -> Getter:
    """The object from a person's ident line on."""
    ident = _ident(env, role)

    def get(item: RefItem) -> bytes:
        line = ident(item)
        seen = env.seen(item.oid)
        head = (_PEOPLE[role][seen.kind == b"tag"] or b"") + b" " + line
        return seen.raw[seen.raw.find(head) + len(head) - len(line) :] if line else b""

    return get


def _moment(env: RefEnv, role: str) -> Callable[[RefItem], tuple[int, int] | None]:
    ident, rest = _ident(env, role), _from_ident(env, role)

    def get(item: RefItem) -> tuple[int, int] | None:
        line = ident(item)
        return when(line if line[-5:-4] in (b"+", b"-") and b"> " in line else rest(item))

    return get


def _date_of(env: RefEnv, name: str, argument: str | None) -> Made:
    moment_of = _moment(env, name.removesuffix("date"))
    try:
        mode = parse_date_mode(argument.encode("utf-8", "surrogateescape")) if argument is not None else DEFAULT
    except GitError as error:
        env.hazards.append(partial(_bad_date, moment_of, error))
        mode = DEFAULT
    show = dater(mode, env.ctx.now)

    def get(item: RefItem) -> bytes:
        moment = moment_of(item)
        return b"" if moment is None else show(*moment)

    def number(item: RefItem) -> int:
        moment = moment_of(item)
        return 0 if moment is None else moment[0]

    return get, number


def _bad_date(moment_of: Callable[[RefItem], object], error: GitError, item: RefItem) -> None:
    """Raise for a bad date format when the first date is to be printed, not before."""
    if moment_of(item) is not None:
        raise error


def _missing(item: RefItem) -> None:
    """git treats `%(*push)` as a field of a missing object."""
    raise NotFound(f"missing object {item.oid.hex()} for {text(item.name)}")


def _message(env: RefEnv, cut: Callable[[Parts], bytes]) -> Made:
    def get(item: RefItem) -> bytes:
        parts = env.seen(item.oid).parts
        return b"" if parts is None else cut(parts)

    return get, None


def _subject(env: RefEnv, name: str, argument: str | None) -> Made:
    if argument == "sanitize":
        return _message(env, lambda parts: sanitize(parts.subject))
    if argument:
        raise _bad(name, argument)
    return _message(env, lambda parts: parts.subject)


def _body(env: RefEnv, name: str, argument: str | None) -> Made:
    _no_argument(name, argument)
    return _message(env, lambda parts: parts.body)


def _trailers(env: RefEnv, name: str, argument: str | None) -> Made:
    words = (argument or "").encode("utf-8", "surrogateescape")
    parsed = parse_trailer_options(words + b")", 0)
    if parsed is None or parsed[1] != len(words):
        unread = unread_option(words)
        complaint = (
            "expected %(trailers:key=<value>)" if unread is None else f"unknown %(trailers) argument: {text(unread)}"
        )
        raise BadRequest(complaint)
    options, rules = parsed[0], trailer_rules(env.store)
    return _message(env, lambda parts: format_trailers(parts.contents, options, rules))


_CONTENTS: dict[str, Callable[[Parts], bytes]] = {
    "": lambda parts: parts.contents,
    "body": lambda parts: parts.text,
    "signature": lambda parts: parts.signature,
    "subject": lambda parts: parts.subject,
    "size": lambda parts: b"%d" % len(parts.contents),
}


def _contents(env: RefEnv, name: str, argument: str | None) -> Made:
    argument = argument or ""
    cut = _CONTENTS.get(argument)
    if cut is not None:
        return _message(env, cut)
    if argument == "trailers" or argument.startswith("trailers:"):
        return _trailers(env, "trailers", argument[9:] or None)
    if argument.startswith("lines="):
        digits = argument[6:]
        if not digits.isascii() or not digits.isdigit() or int(digits[:12]) >= _BOUND:
            raise BadRequest(f"positive value expected contents:{argument}")
        return _message(env, lambda parts: parts.lines(int(digits)))
    raise _bad(name, argument)


def _rest(env: RefEnv, name: str, argument: str | None) -> Made:
    raise BadRequest(f"this command reject atom %({name})")


#: fields of a ref rather than of an object: `*` does not follow a tag for them
_OF_NAMES = frozenset((b"refname", b"symref", b"HEAD", b"flag", b"worktreepath", b"color", b"upstream", b"push"))
_MAKERS: dict[bytes, Callable[[RefEnv, str, str | None], Made]] = {
    b"refname": _refname,
    b"symref": _symref,
    b"HEAD": _head,
    b"flag": _flag,
    b"worktreepath": _worktreepath,
    b"color": _color,
    b"upstream": _remote_ref,
    b"push": _remote_ref,
    b"objecttype": _objecttype,
    b"objectsize": _objectsize,
    b"objectname": _objectname,
    b"deltabase": _deltabase,
    b"raw": _raw,
    b"tree": _tree,
    b"parent": _parent,
    b"numparent": _numparent,
    b"object": _of_tag,
    b"type": _of_tag,
    b"tag": _of_tag,
    b"subject": _subject,
    b"body": _body,
    b"trailers": _trailers,
    b"contents": _contents,
    b"rest": _rest,
}
for _who in _PEOPLE:
    _MAKERS[_who.encode("ascii")] = _person
    _MAKERS[_who.encode("ascii") + b"date"] = _date_of
    if _who != "creator":
        _MAKERS[_who.encode("ascii") + b"name"] = _name_of
        _MAKERS[_who.encode("ascii") + b"email"] = _mail_of


class Fields(RefEnv):
    """The fields of one repository: turns their text into functions of refs."""

    def parse(self, field: bytes) -> Getter:
        """The text between `%(` and `)` as a function from a ref to its value. Raises GitError in git's words."""
        return self._split(field)[0]

    def sorter(self, field: bytes) -> tuple[Sorter, bool]:
        """The function from a ref to its sort key (bytes or a number), and whether that is text. Raises GitError in
        git's words."""
        getter, number = self._split(field)
        return (number, False) if number is not None else (getter, True)

    def _split(self, field: bytes) -> tuple[Getter, Sorter | None]:
        name, colon, argument = field.removeprefix(b"*").partition(b":")
        if not field or field == b"*":
            raise BadRequest(f"malformed field name: {text(field)}")
        maker = _MAKERS.get(name)
        if maker is None:
            raise BadRequest(f"unknown field name: {text(field.removeprefix(b'*') if field != b'*' else field)}")
        before = len(self.hazards)
        self.star = "*" if field.startswith(b"*") else ""
        getter, number = maker(self, name.decode("ascii"), text(argument) if colon else None)
        if field.startswith(b"*"):
            self.hazards[before:] = [partial(self._through, hazard, None) for hazard in self.hazards[before:]]
        if field.startswith(b"*") and name == b"push":
            self.hazards.append(_missing)
        if field.startswith(b"*") and name in _OF_NAMES:
            peeled: Getter = lambda item: getter(item) + b"^{}"  # noqa: E731
            return (peeled if name in (b"refname", b"symref") else getter), number
        if field.startswith(b"*"):
            through = lambda item: self._through(getter, b"", item)  # noqa: E731
            zero: object = 0
            return through, number and (lambda item: self._through(number, zero, item))
        return getter, number

    def _through(self, getter: Callable[[RefItem], T], default: T, item: RefItem) -> T:
        """A field of the object that the ref's tag points at, one step; empty if the ref does not point at a tag."""
        store = self.store
        if store.refs.peeled(item.name, item.oid) is None:
            return default
        seen = self.seen(item.oid)
        target = header(seen.raw, b"object") if seen.kind == b"tag" else None
        if target is None:
            return default
        return getter(RefItem(item.name, bytes.fromhex(target.decode("ascii")), item.kind, item.target))
