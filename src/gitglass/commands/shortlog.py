"""git shortlog: commits grouped by author, or by something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, InvalidArgs, UsageError
from ..history.pipeline import walk, walk_rows
from ..history.reach import chosen_oids
from ..history.reflogs import walk_reflogs
from ..history.spec import Tip, WalkEntry, WalkRow, WalkSpec
from ..limits import Context, holding, lines_in, paced
from ..objects.idents import split_ident
from ..objects.parsed import Commit
from ..plans.conflict import conflict_sides
from ..plans.positionals import Positionals
from ..plans.walk import commit_matcher, parse_pathspecs, refuse_combinations, walk_spec, walk_tips
from ..plans.words import words_and_idle
from ..records import field, typed_row
from ..render.log.commit_parts import Parts
from ..render.log.placeholders import compile_format
from ..render.log.pretty import Printer, make_printer, output_encoding
from ..render.log.trailers import block_lines, find_block, split_trailer, trailer_rules, unfold
from ..render.message import join_lines, split_subject
from ..render.style import Style
from ..render.width import SPACE, wrap
from ..repo.encoding import is_utf8
from ..repo.mailmap import Mailmap
from ..repo.store import Store
from ..request.declared import Field, altered
from ..request.flag import Flag, leading_number
from ..request.pretty import ScriptFormat
from ..request.request import Pathspecs, Request
from ..request.revision import WalkOptions
from ..request.rows.page import Page
from ..request.text import to_bytes, to_text
from ..revs.reflogs import reflog_cursors, walked_beside
from ..revs.tip import Tips
from ..revs.tips import tips
from .command import Command, unknown_word

_WRAP_ERROR = "-w[<width>[,<indent1>[,<indent2>]]]"
_DEFAULT_WRAP = (76, 6, 9)


@typed_row
class Contributor:
    """One group: its name, the number of its commits, and their subjects, oldest first, unless only numbers were
    requested."""

    name: str
    count: int
    subjects: list[str] = field(default_factory=list)


class ShortlogResult(Page):
    """The groups in git's order."""

    groups: list[Contributor] = Field(default_factory=list, description="By name, or by number of commits.")


def _wrap_widths(value: str) -> str:
    """Check the value of -w; it is kept as text."""
    _widths(value)
    return value


def _widths(value: str) -> tuple[int, int, int]:
    parts = value.split(",")
    if len(parts) > 3 or any(part and not (part.isascii() and part.isdigit()) for part in parts):
        raise InvalidArgs(_WRAP_ERROR)
    numbers = [int(part) if part else default for part, default in zip(parts, _DEFAULT_WRAP, strict=False)]
    width, first, rest = [*numbers, *_DEFAULT_WRAP[len(numbers) :]]
    if width and (width <= first or width <= rest):
        raise InvalidArgs(_WRAP_ERROR)
    return width, first, rest


def _left(groups: list[str]) -> list[str]:
    """The remaining groups: `--no-committer` (here "-") cancels those by committer before it."""
    left: list[str] = []
    for group in groups:
        left = [one for one in left if one != "committer"] if group == "-" else [*left, group]
    return left


def _group(value: str) -> str:
    if value in ("author", "committer") or value.startswith(("trailer:", "format:")) or "%" in value:
        return value
    raise InvalidArgs(f"unknown group type: {value}")


class ShortlogRequest(Request[ShortlogResult], WalkOptions, ScriptFormat, Pathspecs):
    """`git shortlog`: the commits of each author or group."""

    # git's parser of options passes on what it knows as pseudo revisions: `--glob` only with its pattern attached
    revs: Annotated[
        list[str],
        Flag("--all", "--reflog", "--not", "--bisect", "--indexed-objects", "--alternate-refs", walk=True, token=True),
        Flag("--branches", "--tags", "--remotes", value="pattern", optional=True, walk=True, token=True),
        Flag("--glob", "--exclude", value="glob-pattern", stuck=True, walk=True, token=True),
        Flag("--exclude-hidden", value="receive|uploadpack", stuck=True, walk=True, token=True),
        Flag("--ignore-missing", walk=True, token=True),
    ] = Field(
        default_factory=list,
        description="Revisions and ranges, e.g. ['main', 'v1.0..HEAD', '^topic', '--all']; HEAD when empty.",
    )
    # git reads the numbers before --no-walk, which therefore does not cancel them
    max_count: Annotated[int | None, Flag("--max-count", "-NUM", value="number", parse=leading_number, walk=True)] = (
        Field(None, description="At most this many commits.")
    )
    numbered: Annotated[bool, Flag("-n", "--numbered", no=True)] = Field(
        False, description="Sort by number of commits, most first."
    )
    summary: Annotated[bool, Flag("-s", "--summary", no=True)] = Field(False, description="Only the numbers.")
    email: Annotated[bool, Flag("-e", "--email", no=True)] = Field(False, description="Show mail addresses.")
    groups: Annotated[
        list[str],
        Flag("-c", "--committer", const="committer", append=True, no=True, no_const="-"),
        Flag("--group", value="field", append=True, parse=_group, no=True),
    ] = Field(
        default_factory=list,
        description="Group by 'author' (default), 'committer', 'trailer:<key>' or 'format:<format>'.",
    )
    wrapped: Annotated[str | None, Flag("-w", value="w[,i1[,i2]]", optional=True, const="", parse=_wrap_widths)] = (
        Field(
            None, description="Wrap subjects: 'width,indent of the first line,indent of the others'; empty: '76,6,9'."
        )
    )
    log: str | None = Field(None, description="The text of a log, to be grouped in place of the history.")


@typed_row
class Shortlog:
    """The commits to be grouped."""

    store: Store
    ctx: Context
    commits: Iterator[WalkEntry]
    rows: Iterator[WalkRow] | None = None  # the same as bare values, if the walk has them
    asked: tuple[list[Tip], WalkSpec] | None = None  # the input of the walk


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind revisions and paths; without a revision a log is read from standard input, unless that is a terminal."""
    words.turn = 0  # git shortlog reads its options before the revisions
    outside = store is not None and not store.exists
    if outside:
        _bind_outside(words, values)
    elif "-" in words.before:
        raise UsageError("unrecognized argument: -")
    else:
        words_and_idle(words, values, store, ctx)
    if "groups" in values:
        values["groups"] = _left(values["groups"])
    if words.read_stdin is not None and (outside or (_names_no_start(words, values) and words.piped)):
        values["log"] = words.read_stdin().decode("utf-8", "surrogateescape")
    elif outside:
        values["log"] = ""


def _bind_outside(words: Positionals, values: dict[str, Any]) -> None:
    """Outside of a repository a log is read, whatever the walk options are. Raises UsageError for words."""
    if words.unknown is not None:
        raise words.unknown
    if words.before or words.after or words.dashdash:
        raise UsageError("too many arguments given outside repository")
    values["revs"] = values["paths"] = []


def _names_no_start(words: Positionals, values: dict[str, Any]) -> bool:
    """Whether git has no object to walk from: none was named, or only commits whose reflogs are walked."""
    if values.get("walk_reflogs") and words.named is not None:
        return all(tip.kind == b"commit" for tip in words.named.entries)
    none = not values["revs"] or (words.named is not None and not words.named.entries)  # `HEAD^@` of a root commit
    return none and "default" not in values


def run(store: Store, request: ShortlogRequest, ctx: Context, named: Tips | None = None) -> Shortlog:
    """The requested commits, or HEAD's if none are named."""
    if request.log is not None:
        if request.walk_reflogs and named is not None:  # git reports this and these before it reads
            reflog_cursors(store, named, ctx=ctx)
        refuse_combinations(request, store)
        _check_groups_of_text(request.groups)
        return Shortlog(store, ctx, iter(()))
    named = tips(
        store, request.revs, ctx=ctx, default=request.default or "HEAD", named=named, reflogs=request.walk_reflogs
    )
    paths = parse_pathspecs(store, request.paths) if request.paths else None
    if request.merge:
        named, paths = conflict_sides(store, named, paths, ctx=ctx)
    # The mailmap names the groups; people are looked for by the names in their commits, as in git.
    matcher = commit_matcher(request, store, ctx=ctx, mailmap=False, encoding=output_encoding(store, request.encoding))
    if request.walk_reflogs:
        spec = walk_spec(request, store, ctx=ctx, paths=paths)
        cursors, beside = reflog_cursors(store, named, ctx=ctx), walk_tips(walked_beside(named))
        return Shortlog(store, ctx, walk_reflogs(store, cursors, spec, matcher, beside=beside, ctx=ctx))
    spec = walk_spec(request, store, ctx=ctx, paths=paths, matcher=matcher)
    starts = walk_tips(named)
    rows = walk_rows(store, starts, spec, ctx=ctx)
    return Shortlog(store, ctx, walk(store, starts, spec, ctx=ctx), rows, (starts, spec))


# -------------------------------------------------------------------------------------------------- grouping
#: the groups of a commit
Namer = Callable[[Commit, tuple[bytes, ...]], list[bytes]]


class _Groups:
    """Counts commits, and keeps their subjects if those are wanted."""

    def __init__(self, log: Shortlog, request: ShortlogRequest, style: Style) -> None:
        self.log, self.request = log, request
        self.counts: dict[bytes, int] = {}
        self.subjects: dict[bytes, list[bytes]] = {}
        if request.log is None:  # a text has its own names, and may be read outside of a repository
            # strange but git's: --color has no effect on %C(auto), --notes none on %N
            plain = altered(request, color="never", notes=[])
            self.printer = make_printer(plain, log.store, style=style, ctx=log.ctx, pretty="%s", configured=False)
            self.namers = self._namers()

    def _namers(self) -> list[Namer]:
        request, env = self.request, self.printer.env
        namers: list[Namer] = []
        formats = []
        trailers = set()
        groups = request.groups or ["author"]
        for who in ("author", "committer"):
            if who in groups:
                letter = who[0]
                formats.append(f"%{letter}N <%{letter}E>" if request.email else f"%{letter}N")
        for group in groups:
            if group.startswith("trailer:"):
                trailers.add(to_bytes(group[8:]).lower())
            elif group not in ("author", "committer"):
                formats.append(group.removeprefix("format:"))
        if trailers:
            namers.append(self._by_trailers(trailers))
        for form in formats:
            show = compile_format(to_bytes(form), env)
            namers.append(lambda commit, parents, show=show: [show(commit, parents)])  # type: ignore[misc]
        return namers

    def _by_trailers(self, keys: set[bytes]) -> Namer:
        env, mailmap, email = self.printer.env, self.log.store.mailmap, self.request.email
        rules = trailer_rules(self.log.store)

        def names(commit: Commit, parents: tuple[bytes, ...]) -> list[bytes]:
            message = Parts(commit, env, parents).message
            start, end = find_block(message, rules)
            out = []
            for line in block_lines(message[start:end], rules):
                trailer = split_trailer(line, rules)
                if trailer is not None and trailer[0].lower() in keys:
                    value = unfold(trailer[1])
                    name = _person(value, mailmap, email)
                    out.append(value if name is None else name)
            return out

        return names

    def gather(self) -> None:
        """Process every commit."""
        if self.request.log is not None:
            self._read_text(to_bytes(self.request.log))
            return
        usual = (
            len(self.namers) == 1
            and self.request.summary
            and is_utf8(output_encoding(self.log.store, self.request.encoding))
        )
        if usual and self.request.groups in ([], ["author"], ["committer"]):
            self._count_people()
            return
        printer, summary = self.printer, self.request.summary
        counts, subjects = self.counts, self.subjects
        several = len(self.namers) > 1 or any(group.startswith("trailer:") for group in self.request.groups)
        for entry in self.log.commits:
            commit, parents = entry.commit, entry.parents
            names = [name.partition(b"\0")[0] for namer in self.namers for name in namer(commit, parents)]
            line = b"" if summary else _subject(printer, commit, parents)
            for name in dict.fromkeys(names) if several else names:
                counts[name] = counts.get(name, 0) + 1
                if not summary:
                    subjects.setdefault(name, []).append(line)

    def _count_people(self) -> None:
        """Count commits by author, the most common request: unchanged idents are counted, and mapped at the end."""
        committer = self.request.groups == ["committer"]
        search = (_COMMITTER if committer else _AUTHOR).search
        raw_counts: dict[bytes, int] = {}
        show, counts = self.namers[0], self.counts
        for oid, parents, raw in self._raw_commits():
            match = search(raw)
            if match is None or b"\nencoding " in raw:
                for name in show(Commit(oid, raw, parents), parents):
                    counts[name] = counts.get(name, 0) + 1
                continue
            who = match[1]
            raw_counts[who] = raw_counts.get(who, 0) + 1
        mailmap, email = self.log.store.mailmap, self.request.email
        for who, count in raw_counts.items():
            person = _person(who, mailmap, email)
            name = who if person is None else person
            counts[name] = counts.get(name, 0) + count

    def _raw_commits(self) -> Iterator[tuple[bytes, tuple[bytes, ...], bytes]]:
        log = self.log
        if log.rows is None:
            return ((entry.oid, entry.parents, entry.commit.raw) for entry in log.commits)
        read = log.store.odb.raw_reader(keep=not log.store.once)
        chosen = None if log.asked is None else chosen_oids(log.store, *log.asked, ctx=log.ctx)
        if chosen is not None:  # counting needs no order, and the author of a commit does not depend on its parents
            return ((oid, (), read(oid)) for oid in chosen)
        return ((oid, parents, read(oid) if raw is None else raw) for oid, parents, raw, _, _ in log.rows)

    def _read_text(self, log: bytes) -> None:
        """Read a log as text, of any format that names people with `Author: ` or `author `. The text after the next
        empty lines is the subject."""
        starts = _COMMITTER_LINES if "committer" in self.request.groups else _AUTHOR_LINES
        mailmap, email = self.log.store.mailmap, self.request.email
        subject, ended = b"", log.endswith(b"\n")
        lines = (line.partition(b"\0")[0] for line in paced(lines_in(log.removesuffix(b"\n"))))
        for line in lines:
            if not line.startswith(starts):
                continue
            for after in lines:
                subject = after
                if not after:
                    subject = next((line for line in lines if line), b"")
                    break
            else:  # strange but git's: a last line without its newline is the subject, wherever it is
                subject = b"" if ended else subject
            name = _person(line.partition(b" ")[2], mailmap, email)
            if name is None:
                continue
            self.counts[name] = self.counts.get(name, 0) + 1
            if not self.request.summary:
                self.subjects.setdefault(name, []).append(_trimmed(subject))

    def ordered(self) -> list[tuple[bytes, int]]:
        """The groups in git's order."""
        groups = sorted(self.counts.items())
        if self.request.numbered:
            groups.sort(key=lambda group: -group[1])
        return groups


def _check_groups_of_text(groups: list[str]) -> None:
    """Raises BadRequest for groups that a text does not have."""
    kinds = {
        group if group in ("author", "committer") else "trailer" if group.startswith("trailer:") else "format"
        for group in groups
    }
    if len(kinds) > 1:
        raise BadRequest("using multiple --group options with stdin is not supported")
    for kind in kinds - {"author", "committer"}:
        raise BadRequest(f"using --group={kind} with stdin is not supported")


_AUTHOR_LINES, _COMMITTER_LINES = (b"Author: ", b"author "), (b"Commit: ", b"committer ")
_AUTHOR = re.compile(rb"\nauthor ([^\n]*<[^<>\n]*>) [0-9]+ [+-][0-9]+\n")
_COMMITTER = re.compile(rb"\ncommitter ([^\n]*<[^<>\n]*>) [0-9]+ [+-][0-9]+\n")


def _person(text: bytes, mailmap: Mailmap | None, email: bool) -> bytes | None:
    """A name, with its address if that is wanted, after applying the mailmap; None for an invalid ident."""
    ident = split_ident(text)
    if ident is None:
        return None
    name, mail = mailmap.map(ident.name, ident.mail) if mailmap else (ident.name, ident.mail)
    return name + b" <" + mail + b">" if email else name


_PATCH = re.compile(rb"\[PATCH[^\]\n]*\]")


def _subject(printer: Printer, commit: Commit, parents: tuple[bytes, ...]) -> bytes:
    """The line of one commit, without a leading [PATCH 1/2]."""
    line = (
        printer.text(commit, parents) if printer.is_user else join_lines(split_subject(commit.message)[0])
    ) or b"<none>"
    return _trimmed(line.partition(b"\0")[0])  # strange but git's: names and subjects end at a NUL


def _trimmed(line: bytes) -> bytes:
    line = line.lstrip(SPACE)
    match = _PATCH.match(line)
    line = (line[match.end() :] if match else line).lstrip(b" \t\r")
    return b"" if line[:1] == b"\n" else join_lines(split_subject(line)[0])


# -------------------------------------------------------------------------------------------------- answers
def collect(log: Shortlog, request: ShortlogRequest) -> ShortlogResult:
    """The typed result, whose text is Unicode whatever encoding is printed."""
    groups = _Groups(log, altered(request, encoding="UTF-8"), Style(log.store, log.ctx))
    groups.gather()
    rows = [
        Contributor(to_text(name), count, [to_text(line) for line in reversed(groups.subjects.get(name, []))])
        for name, count in groups.ordered()
    ]
    return ShortlogResult(groups=rows, total=len(rows))


def _wrapped(lines: Iterable[bytes], width: int, first: int, rest: int) -> list[bytes]:
    """Subjects as `-w` fills them: the margins may weigh more than what they stand in front of."""
    shown = list[bytes]()
    with holding() as held:
        for line in lines:
            shown.append(wrap(line, width, first, rest) + b"\n")
            held.count(3 * len(shown[-1]))  # here, and twice as one text
    return shown


def render(log: Shortlog, request: ShortlogRequest, style: Style) -> Iterator[bytes]:
    """git's bytes."""
    groups = _Groups(log, request, style)
    groups.gather()
    if request.summary:
        yield b"".join([b"%6d\t%s\n" % (count, name) for name, count in groups.ordered()])
        return
    widths = None if request.wrapped is None else _widths(request.wrapped)
    for name, count in groups.ordered():
        lines = reversed(groups.subjects[name])
        if widths is None:
            shown = [b"      " + line + b"\n" for line in lines]
        else:
            shown = _wrapped(lines, *widths)
        yield b"%s (%d):\n%s\n" % (name, count, b"".join(shown))


COMMAND = Command(
    "shortlog",
    ShortlogRequest,
    ShortlogResult,
    run,
    collect,
    render,
    bind=bind,
    unknown=unknown_word,
    aside="plans.ignored_diff_options:UnusedDiff",
    summary="commits by author",
    usage="[<options>] [<revision-range>] [[--] <path>...]",
    needs_repository=False,
    settings="shortlog",
)
