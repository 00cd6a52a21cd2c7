"""The repository's config file with sections of branches added, renamed or removed; every other byte stays.

Only `branch.<name>` sections are written, and only their `remote`, `merge` and `rebase` variables. Mirrors
git-config(1), "Syntax", and what git-branch(1) writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import BadRequest

#: `[branch "name"]`, or the old `[branch.name]`, whose name is read in lower case (git-config(1), "Syntax")
_HEADER = re.compile(rb'[ \t]*\[branch(?:[ \t]+"((?:[^"\\\n]|\\.)*)"[ \t]*|\.([0-9a-z.-]+))\]', re.IGNORECASE)
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_ANY = re.compile(rb"[ \t]*\[")


def section(name: bytes) -> bytes:
    """The line that begins the section of a branch. Raises BadRequest for a name that cannot stand there."""
    if b"\n" in name or b"\0" in name:
        raise BadRequest("a branch name cannot hold a newline")
    return b'[branch "%b"]\n' % name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _parts(data: bytes) -> list[tuple[bytes | None, list[bytes]]]:
    """The file cut before each section's line: (name of the branch, lines)."""
    parts: list[tuple[bytes | None, list[bytes]]] = [(None, [])]
    for line in _LINES.findall(data):
        fits = _HEADER.match(line)
        if fits is not None:
            parts.append((fits[2].lower() if fits[1] is None else re.sub(rb"\\(.)", rb"\1", fits[1]), []))
        elif _ANY.match(line):
            parts.append((None, []))
        parts[-1][1].append(line)
    return parts


def without_branch(data: bytes, name: bytes) -> bytes:
    """The file without the sections of a branch."""
    return b"".join(line for branch, lines in _parts(data) for line in lines if branch != name)


def with_branch_renamed(data: bytes, old: bytes, new: bytes) -> bytes:
    """The file with a branch's sections under another name; those that the other name had are kept."""
    out: list[bytes] = []
    for branch, lines in _parts(data):
        if branch == old:
            rest = lines[0][_HEADER.match(lines[0]).end() :] if _HEADER.match(lines[0]) else b"\n"  # type: ignore[union-attr]
            lines = [section(new).rstrip(b"\n") + rest, *lines[1:]]
        out += lines
    return b"".join(out)


def with_branch_copied(data: bytes, old: bytes, new: bytes) -> bytes:
    """The file with a branch's sections once more, under another name, behind them."""
    out: list[bytes] = []
    for branch, lines in _parts(data):
        out += lines
        if branch == old:
            out += [section(new), *lines[1:]]
    return b"".join(out)


def repeated(data: bytes, name: bytes) -> list[bytes]:
    """Of `remote` and `merge` those that a branch has several of: git changes none of these (`with_upstream`)."""
    variables = [_variable(line) for branch, lines in _parts(data) for line in lines if branch == name]
    return [key for key in (b"remote", b"merge") if variables.count(key) > 1]


def with_upstream(data: bytes, name: bytes, remote: bytes, merges: Sequence[bytes], *, rebase: bool = False) -> bytes:
    """The file with a branch's upstream set (`branch.<name>.remote` and `.merge`). As in git `merge`, of which there
    can be several, is taken out first, and comes at the section's end; what there are several of already stays."""
    many = repeated(data, name)
    if b"remote" not in many:
        data = _with_values(data, name, [(b"remote", [remote])])
    if b"merge" not in many:
        lines = ((branch, line) for branch, lines in _parts(data) for line in lines)
        data = b"".join(line for branch, line in lines if branch != name or _variable(line) != b"merge")
    return _with_values(data, name, [(b"merge", merges), *([(b"rebase", [b"true"])] if rebase else [])])


def without_upstream(data: bytes, name: bytes) -> bytes:
    """The file without a branch's `remote` and `merge`; a section that is left empty goes."""
    out: list[bytes] = []
    for branch, lines in _parts(data):
        if branch == name:
            lines = [line for line in lines if _variable(line) not in (b"remote", b"merge")]
            if not any(line.strip() for line in lines[1:]):
                continue
        out += lines
    return b"".join(out)


def _with_values(data: bytes, name: bytes, variables: list[tuple[bytes, Sequence[bytes]]]) -> bytes:
    if data and not data.endswith(b"\n"):
        data += b"\n"
    parts = _parts(data)
    own = [at for at, (branch, _) in enumerate(parts) if branch == name]
    if not own:
        return data + section(name) + b"".join(_lines(*variable) for variable in variables)
    for key, values in variables:
        places = [(at, row) for at in own for row, line in enumerate(parts[at][1]) if _variable(line) == key]
        if places and key != b"merge":
            at, row = places[-1]
            parts[at][1][row] = _lines(key, values)
        else:
            lines = parts[own[-1]][1]
            last = max(row for row, line in enumerate(lines) if not row or _variable(line)[:1].isalpha())
            lines.insert(last + 1, _lines(key, values))
    return b"".join(line for _, lines in parts for line in lines)


def _variable(line: bytes) -> bytes:
    """The name of the variable that a line sets, lower case."""
    return line.partition(b"=")[0].strip().lower()


def _lines(key: bytes, values: Sequence[bytes]) -> bytes:
    return b"".join(_line(key, value) for value in values)


def _line(key: bytes, value: bytes) -> bytes:
    plain = re.fullmatch(rb"[^\s#;\"\\](?:[^#;\"\\\n]*[^\s#;\"\\])?", value)
    shown = value if plain else b'"%b"' % value.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b"\t%b = %b\n" % (key, shown)
