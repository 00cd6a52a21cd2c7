"""Applies the rules for single objects with git's severities, and checks the files that git itself obeys.

`.gitmodules` and `.gitattributes` are checked wherever a tree has them. Only the trees tell which blobs these are, so
blobs that come before their tree are checked at the end. Mirrors git-fsck(1), `fsck.<msg-id>` and `fsck.skipList` of
git-config(1), gitmodules(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..annotations import TYPE_CHECKING
from ..config.file import parse_config
from ..errors import GitError, text
from ..limits import lines_in, watched
from ..objects.pack import BLOB, COMMIT, KIND_NAMES, KIND_NUMBERS, TAG, TREE
from ..objects.parsed import is_symlink
from . import rules as fsckrules
from .objects import FATAL, OBJECT, Objects
from .rules import Complaint

if TYPE_CHECKING:
    from ..repo.store import Store

_LINE_LIMIT = 2048
_ATTRIBUTES_LIMIT = 100 << 20
_LIST_LIMIT = 64 << 20
_FIXED = frozenset({"nulinheader", "unterminatedheader"})  # always errors, whatever the configuration says
_MODULES, _ATTRIBUTES, _IGNORE, _MAILMAP = range(4)
_SYMLINKS = (
    ("gitmodulesSymlink", ".gitmodules is a symbolic link", True),
    ("gitattributesSymlink", ".gitattributes is a symlink", False),
    ("gitignoreSymlink", ".gitignore is a symlink", False),
    ("mailmapSymlink", ".mailmap is a symlink", False),
)
_TRANSPORT = re.compile(rb"(?:https?|ftps?)::")
_HOST = re.compile(rb"[^:]+://(?:[^/?#@]*@)?+[^/?#]")
_NEWLINE = re.compile(rb"\n|%0[aA]")
_RELATIVE = re.compile(rb"(?:\.\.?/)*+")


def _dotfile(name: bytes, short: bytes) -> re.Pattern[bytes]:
    """A pattern of the names that some file system takes for this file: NTFS short names, HFS+'s ignored characters."""
    cut = b"|".join(short[:length] + rb"~[1-9][0-9]{%d}" % (6 - length) for length in range(7))
    ntfs = rb"(?:\.%b|%b~[1-4]|%b)[ .]*(?::.*)?" % (name, name[:6], cut)
    return re.compile(ntfs + rb"|\.%b" % name, re.IGNORECASE | re.DOTALL)


_FILES = (
    _dotfile(b"gitmodules", b"gi7eba"),
    _dotfile(b"gitattributes", b"gi7d29"),
    _dotfile(b"gitignore", b"gi250a"),
    _dotfile(b"mailmap", b"maba30"),
)
_FIRST = rb"\.g|\.m|g[i~]|m[a~]|~"  # how these names begin
_DISGUISE = rb"[\xe2\xef\\]"  # begins an ignored character, or separates, wherever in a name it stands
_LIKELY = re.compile(rb"(?i)\A(?:%b)|%b" % (_FIRST, _DISGUISE))
_LIKELY_AMONG = re.compile(rb"(?i)(?:\A|\0)(?:%b)|%b" % (_FIRST, _DISGUISE))  # in names separated by zero bytes
_FEW = 4096  # names: more are looked at one by one, and the clock between them


class Rules:
    """Checks objects one by one, and at the end the special files that came before the trees that name them."""

    def __init__(self, store: Store, objects: Objects, *, strict: bool = False, configured: bool = True) -> None:
        self.objects = objects
        self.findings = objects.findings
        self.hash_len = store.hash_len
        self._status = OBJECT  # what an error adds to the exit status
        self.strict = strict
        self._special: tuple[dict[bytes, bool], dict[bytes, bool]] = ({}, {})  # oid → whether it was checked
        self._severities = self._configured(store) if configured else {}
        self._skipped = self._skip_list(store) if configured else frozenset()

    def _configured(self, store: Store) -> dict[str, bytes]:
        """The configured severities of message ids. git gives up at an invalid value; here the default is kept."""
        severities: dict[str, bytes] = {}
        for key, value in store.config.section_items(b"fsck"):
            name = text(key).lower()
            if name == "skiplist" or value is None:
                continue
            severity = value.lower()
            if name not in fsckrules.IDS:
                words = f"Unhandled message id: {name}"
            elif severity not in (b"error", b"warn", b"ignore"):
                words = f"Unknown fsck message type: '{text(value)}'"
            elif name in _FIXED and severity != b"error":
                words = f"Cannot demote {name} to {text(severity)}"
            else:
                severities[name] = severity
                continue
            self.findings.say("config", f"fatal: {words}", status=FATAL)
        return severities

    def _skip_list(self, store: Store) -> frozenset[bytes]:
        """The objects that are not to be reported (fsck.skipList)."""
        path = store.config.get_path("fsck.skipList")
        if not path:
            return frozenset()
        absolute = path if path.startswith(b"/") else (store.work_tree or store.cwd) + b"/" + path
        data = store.jail.read_optional(absolute, _LIST_LIMIT)
        words = "" if data is not None else f"could not open object name list: {text(path)}"
        oids = set()
        for line in lines_in(data or b""):
            word = line.partition(b"#")[0].strip()
            try:
                oid = bytes.fromhex(word.decode("ascii"))
            except ValueError:
                oid = b""
            if len(oid) == self.hash_len and len(word) == 2 * self.hash_len:
                oids.add(oid)
            elif word:
                words = words or f"invalid object name: {text(line)}"
        if words:
            self.findings.say("config", f"fatal: {words}", status=FATAL)
        return frozenset(oids)

    def judge(self, oid: bytes, kind: int, raw: bytes, status: int = OBJECT) -> bool:
        """Report what is wrong inside an object that could be parsed; returns whether there was no error. `status` is
        what an error adds to the exit status."""
        self._status = status
        if kind == COMMIT:
            complaints = fsckrules.commit(raw)
        elif kind == TAG:
            complaints = fsckrules.tag(raw)
        elif kind == TREE:
            readable = fsckrules.readable_entries(raw, self.hash_len)
            good = self._say_all(oid, kind, self._names(readable[0]))
            complaints = fsckrules.tree(raw, readable, self.hash_len, strict=self.strict)
            return self._say_all(oid, kind, complaints) and good
        else:
            self._blob(oid, raw)
            return True
        return self._say_all(oid, kind, complaints)

    def finish(self) -> None:
        """Check the special files that were read before a tree named them."""
        self._status = OBJECT
        for special, name in ((_MODULES, "gitmodules"), (_ATTRIBUTES, "gitattributes")):
            for oid, checked in list(self._special[special].items()):
                if checked:
                    continue
                stored = self.objects.read(oid)
                if stored is None:
                    if not self.objects.is_promised(oid):
                        self._say(oid, BLOB, (f"{name}Missing", f"unable to read .{name} blob", True))
                elif stored[0] != b"blob":
                    kind = KIND_NUMBERS[stored[0]]
                    self._say(oid, kind, (f"{name}Blob", f"non-blob found at .{name}", True))
                else:
                    self._blob(oid, stored[1])
                self._special[special][oid] = True

    def _say_all(self, oid: bytes, kind: int, complaints: Iterator[Complaint]) -> bool:
        good = True
        for complaint in complaints:
            good = self._say(oid, kind, complaint) and good
        return good

    def _say(self, oid: bytes, kind: int, complaint: Complaint) -> bool:
        """Report a complaint with its configured severity; False if it is an error."""
        code, words, is_error = complaint
        if oid in self._skipped:
            return True
        severity = self._severities.get(code.lower())
        if severity == b"ignore":
            return True
        if severity is not None:
            is_error = severity == b"error"
        elif self.strict and code in fsckrules.WARNINGS:
            is_error = True
        level = "error" if is_error else "warning"
        line = f"{level} in {KIND_NAMES[kind].decode()} {oid.hex()}: {code}: {words}"
        status = self._status if is_error else 0
        self.findings.say(code, line, kind, oid, is_error=is_error, status=status, again=True)
        return not is_error

    # --- special files -----------------------------------------------------------------------------------------------

    def _names(self, entries: list[tuple[int, bytes, bytes]]) -> Iterator[Complaint]:
        """Note the special files that a tree names, and report those that are symbolic links."""
        if len(entries) < _FEW and _LIKELY_AMONG.search(b"\0".join([name for _, name, _ in entries])) is None:
            return
        for mode, name, oid in watched(entries):
            if _LIKELY.search(name) is not None:
                yield from self._name(mode, name, oid)

    def _name(self, mode: int, name: bytes, oid: bytes) -> Iterator[Complaint]:
        parts = {name, fsckrules.visible(name), *name.split(b"\\")[1:]}
        for special, pattern in enumerate(_FILES):
            if any(pattern.fullmatch(part) for part in parts):
                if is_symlink(mode):
                    yield _SYMLINKS[special]
                elif special in (_MODULES, _ATTRIBUTES):
                    self._special[special].setdefault(oid, False)

    def _blob(self, oid: bytes, raw: bytes) -> None:
        modules, attributes = self._special
        if modules.get(oid) is False:
            modules[oid] = True
            self._say_all(oid, BLOB, _modules(raw))
        if attributes.get(oid) is False:
            attributes[oid] = True
            self._say_all(oid, BLOB, _attributes(raw))


def _attributes(raw: bytes) -> Iterator[Complaint]:
    if len(raw) > _ATTRIBUTES_LIMIT:
        yield "gitattributesLarge", ".gitattributes too large to parse", True
    elif any(len(line) >= _LINE_LIMIT for line in watched(lines_in(raw))):
        yield "gitattributesLineLength", ".gitattributes has too long lines to parse", True


def _modules(raw: bytes) -> Iterator[Complaint]:
    """Reports dangerous settings of submodules: names with `..`, URLs and paths that would be read as options."""
    try:
        settings = parse_config(raw)
    except GitError:
        yield "gitmodulesParse", "could not parse gitmodules blob", False
        return
    for key, value, _ in watched(settings):
        section, _, rest = key.partition(b".")
        name, dot, setting = rest.rpartition(b".")
        if section != b"submodule" or not dot:
            continue
        if not name or b".." in re.split(rb"[/\\]", name):
            yield "gitmodulesName", f"disallowed submodule name: {text(name)}", True
        if value is None:
            continue
        if setting == b"url" and _is_dangerous(value):
            yield "gitmodulesUrl", f"disallowed submodule url: {text(value)}", True
        if setting == b"path" and value.startswith(b"-"):
            yield "gitmodulesPath", f"disallowed submodule path: {text(value)}", True
        if setting == b"update" and value.startswith(b"!"):
            yield "gitmodulesUpdate", f"disallowed submodule update setting: {text(value)}", True


def _is_dangerous(url: bytes) -> bool:
    """Whether a URL would be read as an option, adds a line to a credential request, or hides its real host."""
    if url.startswith(b"-"):
        return True
    has_newline = _NEWLINE.search(url) is not None
    if url.startswith((b"./", b"../")):
        return has_newline or _leads_to_a_host(url)
    transport = _TRANSPORT.match(url)
    if transport is not None:
        url = url[transport.end() :]
    elif not url.startswith((b"http://", b"https://", b"ftp://", b"ftps://")):
        return False
    return has_newline or _HOST.match(url) is None


def _leads_to_a_host(url: bytes) -> bool:
    """Whether a relative URL goes upwards and then on with an empty component or a scheme: it may replace the host."""
    match = _RELATIVE.match(url)
    return match is not None and url[match.end() : match.end() + 1] in (b":", b"/") and b"../" in match[0]
