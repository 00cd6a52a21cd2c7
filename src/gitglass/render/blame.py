"""The output of git blame: lines with commit, author and date in front, or the porcelain formats for programs.

Mirrors git-blame(1). Widths are those of the widest author, path and number among all lines that are shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ..annotations import TYPE_CHECKING
from ..blame.origins import IGNORED, UNBLAMABLE, Entry, Origin
from ..config.config import Config
from ..deferred import deferred
from ..diff.lines.ranges import Lines
from ..errors import BadConfig
from ..limits import LARGE, LINE_BYTES, Context, need, pause, watched
from ..objects.idents import number_of, split_ident
from ..records import record
from ..repo.encoding import reencode_commit
from ..repo.mailmap import Mailmap
from ..revs.abbrev import Abbreviator
from .color import parse_color
from .dates import Dater
from .quote import Quoter
from .width import display_width

if TYPE_CHECKING:
    from ..blame.blame import Scoreboard
    from ..blame.copies import word_score
    from ..revs.dates import approxidate
else:
    word_score = deferred(__name__, "..blame.copies", "word_score")
    approxidate = deferred(__name__, "..revs.dates", "approxidate")


_RESET = b"\x1b[m"
_FOREVER = 1 << 62
_UNKNOWN = b"(unknown)"


@record(frozen=True)
class BlameStyle:
    """How blame is printed. `abbrev` None: the shortest unique length, plus one; 0: whole object names."""

    porcelain: str = ""  # "", "porcelain", "line-porcelain", "incremental"
    annotate: bool = False  # -c
    long: bool = False  # -l
    raw_time: bool = False  # -t
    no_author: bool = False  # -s
    email: bool = False  # -e
    name: bool = False  # -f
    number: bool = False  # -n
    score: bool = False  # --score-debug
    blank_boundary: bool = False  # -b
    abbrev: int | None = None
    repeated_color: bytes | None = None  # --color-lines
    age_colors: list[tuple[int, bytes]] | None = None  # --color-by-age: (latest time, colour)
    mark_ignored: bool = False
    mark_unblamable: bool = False
    date_width: int = 0
    encoding: bytes = b"UTF-8"
    work_name: bytes = b""  # names the source of the lines that are in no commit, in their summary


@record
class CommitInfo:
    """The author or committer of one commit and the date, as blame shows them."""

    author: bytes
    author_mail: bytes
    author_time: int
    author_zone: bytes
    committer: bytes
    committer_mail: bytes
    committer_time: int
    committer_zone: bytes
    summary: bytes


class Infos:
    """The people and summaries of commits, each read once."""

    __slots__ = ("_board", "_ctx", "_infos", "_mailmap", "_style")

    def __init__(self, board: Scoreboard, mailmap: Mailmap, style: BlameStyle, ctx: Context) -> None:
        self._board = board
        self._mailmap = mailmap
        self._style = style
        self._ctx = ctx
        self._infos: dict[bytes, CommitInfo] = {}

    def of(self, commit: bytes) -> CommitInfo:
        """The facts of a commit that are shown."""
        info = self._infos.get(commit)
        if info is None:
            board = self._board
            is_work = board.work is not None and commit == board.start
            info = self._infos[commit] = self._uncommitted() if is_work else self._read(commit)
        return info

    def _read(self, oid: bytes) -> CommitInfo:
        commit = self._board.store.odb.commit(oid)
        raw = reencode_commit(commit.raw, commit.body_at, self._style.encoding)
        header, _, body = raw.partition(b"\n\n")
        header = b"\n" + header
        author = self._person(_header(header, b"\nauthor "))
        committer = self._person(_header(header, b"\ncommitter "))
        summary = body.lstrip(b"\n")
        while summary[:1].isspace() and not summary.partition(b"\n")[0].strip():
            summary = summary.partition(b"\n")[2]
        summary = summary.partition(b"\n")[0]
        return CommitInfo(*author, *committer, summary or b"(" + oid.hex().encode() + b")")

    def _person(self, line: bytes | None) -> tuple[bytes, bytes, int, bytes]:
        ident = None if line is None else split_ident(line)
        if ident is None:
            return _UNKNOWN, _UNKNOWN, 0, _UNKNOWN
        name, mail = self._mailmap.map(ident.name, ident.mail) if self._mailmap else (ident.name, ident.mail)
        return name, b"<" + mail + b">", number_of(ident.date), ident.zone or _UNKNOWN

    def _uncommitted(self) -> CommitInfo:
        now = self._ctx.now
        minutes = time.localtime(now).tm_gmtoff // 60
        zone = b"%b%02d%02d" % (b"-" if minutes < 0 else b"+", abs(minutes) // 60, abs(minutes) % 60)
        person = b"Not Committed Yet", b"<not.committed.yet>", now, zone
        return CommitInfo(*person, *person, b"Version of " + self._board.path + b" from " + self._style.work_name)


def _numbers(lines: Lines, entry: Entry) -> Iterator[int]:
    """The lines of an entry, counted from its first one, with checks of the clock.

    The memory of their text is announced: while it is printed it exists twice, as single lines and joined.
    """
    size = lines.offsets[entry.final + entry.num] - lines.offsets[entry.final]
    need(2 * (size + entry.num * LINE_BYTES))
    return watched(range(entry.num))


def _header(header: bytes, name: bytes) -> bytes | None:
    at = header.find(name)
    if at < 0:
        return None
    end = header.find(b"\n", at + 1)
    return header[at + len(name) : end if end >= 0 else len(header)]


# ------------------------------------------------------------------------------------------------------ porcelain


class Porcelain:
    """`--porcelain`, `--line-porcelain` and `--incremental`."""

    __slots__ = ("_board", "_infos", "_many", "_quote", "_shown", "_style")

    def __init__(self, board: Scoreboard, infos: Infos, quote: Quoter, style: BlameStyle) -> None:
        self._board = board
        self._infos = infos
        self._quote = quote
        self._style = style
        self._shown: set[bytes] = set()
        self._many: set[bytes] = set()

    def incremental(self, entries: Iterator[Entry]) -> Iterator[bytes]:
        """An entry as soon as it is settled, for `--incremental`."""
        for entry in entries:
            origin = entry.origin
            head = b"%b %d %d %d\n" % (_hex(origin), entry.start + 1, entry.final + 1, entry.num)
            yield head + self._details(origin, False) + self._file(origin)

    def entries(self, entries: list[Entry]) -> Iterator[bytes]:
        """All lines, in the order of the file."""
        self._many = {
            one.origin.commit
            for one in entries
            if sum(origin.guilty for origin in self._board.origins_of(one.origin.commit)) > 1
        }
        each = self._style.porcelain == "line-porcelain"
        lines = self._board.final
        for entry in entries:
            origin, start, final = entry.origin, entry.start, entry.final
            name = _hex(origin)
            chunk = [b"%b %d %d %d\n" % (name, start + 1, final + 1, entry.num), self._block(origin, each)]
            for at in _numbers(lines, entry):
                if at:
                    chunk.append(b"%b %d %d\n" % (name, start + 1 + at, final + 1 + at))
                    if each:
                        chunk.append(self._block(origin, True))
                line = lines.line(final + at)
                if len(line) >= LARGE:  # each of its copies takes long
                    pause()
                chunk.append(b"\t" + line)
            pause()
            if not chunk[-1].endswith(b"\n"):
                chunk.append(b"\n")
            yield b"".join(chunk)

    def _block(self, origin: Origin, again: bool) -> bytes:
        details = self._details(origin, again)
        return details + self._file(origin) if details or origin.commit in self._many else b""

    def _details(self, origin: Origin, again: bool) -> bytes:
        commit = origin.commit
        if not again and commit in self._shown:
            return b""
        self._shown.add(commit)
        info = self._infos.of(commit)
        return b"".join(
            (
                b"author %b\nauthor-mail %b\n" % (info.author, info.author_mail),
                b"author-time %d\nauthor-tz %b\n" % (info.author_time, info.author_zone),
                b"committer %b\ncommitter-mail %b\n" % (info.committer, info.committer_mail),
                b"committer-time %d\ncommitter-tz %b\n" % (info.committer_time, info.committer_zone),
                b"summary %b\n" % info.summary,
                b"boundary\n" if commit in self._board.boundary else b"",
            )
        )

    def _file(self, origin: Origin) -> bytes:
        line = b"filename " + self._quote(origin.path) + b"\n"
        if origin.previous is None:
            return line
        return b"previous %b %b\n" % (_hex(origin.previous), self._quote(origin.previous.path)) + line


def _hex(origin: Origin) -> bytes:
    return origin.commit.hex().encode()


# ------------------------------------------------------------------------------------------------------- for people


class Annotated:
    """The default output and `-c`."""

    __slots__ = (
        "_abbrev",
        "_board",
        "_date",
        "_digits",
        "_infos",
        "_named",
        "_refs",
        "_score_digits",
        "_style",
        "_widths",
    )

    def __init__(self, board: Scoreboard, infos: Infos, date: Dater, style: BlameStyle) -> None:
        self._board = board
        self._infos = infos
        self._date = date
        self._style = style
        self._named = style.name
        self._abbrev = 0
        self._widths = (0, 0, 0)  # path, author, line in the origin
        self._digits = 0
        self._score_digits = 0
        self._refs: dict[int, int] = {}

    def entries(self, entries: list[Entry]) -> Iterator[bytes]:
        """All lines, in the order of the file."""
        self._measure(entries)
        render = self._compat if self._style.annotate else self._lines
        for entry in entries:
            yield render(entry)

    def _measure(self, entries: list[Entry]) -> None:
        """Compute the widths that all lines share."""
        board, style = self._board, self._style
        file = author = source = final = score = 0
        commits: set[bytes] = set()
        for entry in entries:
            path = entry.origin.path
            self._named = self._named or path != board.path
            file = max(file, len(path))
            source = max(source, entry.start + entry.num)
            final = max(final, entry.final + entry.num)
            commits.add(entry.origin.commit)
            if style.score:
                score = max(score, word_score(board.final.span(entry.final, entry.num)))
        for commit in commits:
            info = self._infos.of(commit)
            author = max(author, display_width(info.author_mail if style.email else info.author))
        self._widths = file, author, len(str(source))
        self._digits = len(str(final))
        self._score_digits = len(str(score))
        self._abbrev = self._length(commits)
        if style.score:
            self._refs = _references(entries)

    def _length(self, commits: set[bytes]) -> int:
        store, wanted = self._board.store, self._style.abbrev
        if self._style.long or wanted == 0:
            return store.hex_len
        if wanted is not None:
            return wanted + 1 if wanted < store.hex_len else store.hex_len
        short = Abbreviator(store)
        return max((len(short(commit)) for commit in commits), default=0) + 1

    def _name(self, entry: Entry) -> bytes:
        """The object name with its marks: ^ for a boundary, * and ? for lines of ignored commits."""
        style, length = self._style, self._abbrev
        digits = _hex(entry.origin)
        marks = b""
        if entry.origin.commit in self._board.boundary:
            if style.blank_boundary:
                digits = b" " * length + digits[length:]
            elif not style.annotate:
                marks, length = b"^", length - 1
        if style.mark_unblamable and entry.flags & UNBLAMABLE:
            marks, length = marks + b"*", length - 1
        if style.mark_ignored and entry.flags & IGNORED:
            marks, length = marks + b"?", length - 1
        return marks + digits[:length]

    def _when(self, info: CommitInfo) -> bytes:
        if self._style.raw_time:
            return b"%d %b" % (info.author_time, info.author_zone)
        shown = self._date(info.author_time, zone_of(info.author_zone))
        return shown + b" " * (self._style.date_width - display_width(shown))

    def _compat(self, entry: Entry) -> bytes:
        info = self._infos.of(entry.origin.commit)
        person = info.author_mail if self._style.email else info.author
        head = b"%b\t(%10b\t%10b\t" % (self._name(entry), person, self._when(info))
        lines = self._board.final
        numbers = (entry.final + at for at in _numbers(lines, entry))
        text = b"".join([b"%b%d)%b" % (head, at + 1, lines.line(at)) for at in numbers])
        return text if text.endswith(b"\n") else text + b"\n"

    def _lines(self, entry: Entry) -> bytes:
        style = self._style
        file, author, source = self._widths
        info = self._infos.of(entry.origin.commit)
        head = self._name(entry)
        if style.score:
            score = word_score(self._board.final.span(entry.final, entry.num))
            head += b" %*d %02d" % (self._score_digits, score, self._refs[id(entry.origin)])
        if self._named:
            head += b" " + entry.origin.path.ljust(file)
        tail = b""
        if not style.no_author:
            person = info.author_mail if style.email else info.author
            tail = b" (" + person + b" " * (author - display_width(person)) + b" " + self._when(info).rjust(10)
        digits, lines = self._digits, self._board.final
        chunk = []
        for at in _numbers(lines, entry):
            line = entry.final + at
            meta = head + b" %*d" % (source, entry.start + at + 1) + tail if style.number else head + tail
            meta += b" %*d) " % (digits, line + 1)
            color = self._color(info, at)
            chunk.append((color + meta + _RESET if color else meta) + lines.line(line))
        if not chunk[-1].endswith(b"\n"):
            chunk.append(b"\n")
        return b"".join(chunk)

    def _color(self, info: CommitInfo, at: int) -> bytes:
        style = self._style
        if style.repeated_color is not None and at:
            return style.repeated_color
        if style.age_colors is not None:
            for until, color in style.age_colors:
                if info.author_time <= until:
                    return color
        return b""


def zone_of(zone: bytes) -> int:
    """A time zone in git's form (+0130 is 130); 0 if it is none."""
    try:
        return int(zone[:9])
    except ValueError:
        return 0


def _references(entries: list[Entry]) -> dict[int, int]:
    """How often each origin is referred to: the numbers of git's own book-keeping that --score-debug shows."""
    counts: dict[int, int] = {}
    for entry in entries:
        counts[id(entry.origin)] = counts.get(id(entry.origin), 0) + 1
    todo = list({id(entry.origin): entry.origin for entry in entries}.values())
    while todo:
        previous = todo.pop().previous
        if previous is None:
            continue
        if id(previous) not in counts:
            todo.append(previous)
        counts[id(previous)] = counts.get(id(previous), 0) + 1
    return counts


def age_colors(config: Config, text: bytes, now: int) -> list[tuple[int, bytes]]:
    """`color.blame.highlightRecent`: colours and dates alternate, and a colour is last."""
    result: list[tuple[int, bytes]] = []
    color: bytes | None = None
    for word in text.split(b","):
        word = word.strip()
        if color is None:
            color = parse_color(word)
        else:
            result.append((approxidate(word, now), color))
            color = None
    if color is None:
        raise BadConfig("must end with a color")
    return [*result, (_FOREVER, color)]


def write_stats(board: Scoreboard) -> bytes:
    """`--show-stats`."""
    return b"num read blob: %d\nnum get patch: %d\nnum commits: %d\n" % (board.reads, board.patches, board.commits_seen)


DateWidths: dict[str, int] = {
    "rfc": 31,
    "iso": 25,
    "iso-strict": 25,
    "raw": 16,
    "unix": 10,
    "short": 10,
    "relative": 22,
    "human": 16,
    "default": 30,
}


def date_width(kind: str, sample: Callable[[], bytes]) -> int:
    """The width to which dates are padded; for a format, the width of the epoch in it."""
    return DateWidths[kind] if kind in DateWidths else len(sample())
