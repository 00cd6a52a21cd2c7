"""Pretty printing: a commit as git-log(1) shows it, in the named formats and in the user's own.

`make_printer` decides once, from the options and the configuration, how every commit will look. The printer returns
the text after the line `commit <hash>`; `log.py` adds that line, and the text between entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...config.config import Config
from ...deferred import deferred, lazy_pattern
from ...errors import text
from ...limits import LARGE, MANY_LINES, Context, joined, lines_in, need, replaced
from ...objects.idents import split_ident
from ...objects.parsed import Commit
from ...repo.encoding import is_utf8, reencode_commit
from ...repo.store import Store
from ...revs.abbrev import Abbreviator
from ..dates import DEFAULT, RFC, SHORT, DateMode, Dater, dater, parse_date_mode
from ..message import join_lines, skip_blank_lines, split_subject
from ..style import Style
from ..width import SPACE, expand_tabs
from . import mail_text as mailtext
from .commit_parts import USUAL_AUTHOR, USUAL_COMMITTER, Env, ReflogInfo
from .formats import BUILTIN, Options, PrettyFormat, find_format, pretty_aliases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...history.matching import MatchSpec
    from .decorate import decorations_of
    from .grep_colors import Marks
    from .placeholders import FormatRows, compile_format, compile_rows, needs, reads_commits
    from .shown_notes import ShownNotes, note_refs
    from .trailers import signed_off, trailer_rules
else:
    decorations_of = deferred(__name__, ".decorate", "decorations_of")
    compile_format, compile_rows, needs, reads_commits = deferred(
        __name__, ".placeholders", "compile_format", "compile_rows", "needs", "reads_commits"
    )
    ShownNotes, note_refs = deferred(__name__, ".shown_notes", "ShownNotes", "note_refs")
    signed_off, trailer_rules = deferred(__name__, ".trailers", "signed_off", "trailer_rules")


#: a commit without an encoding of its own, whose first paragraph is one line, neither indented nor followed by blanks
_USUAL_SUBJECT = lazy_pattern(
    rb"tree .*\n(?:parent .*\n)*author .*\ncommitter .*\n(?:gpgsig .*\n(?: .*\n)*)?"
    rb"\n([!-\xff](?:.*[!-\xff])?)(?:\n\n|\n?\Z)"
)
#: all of such a commit before its message, which does not begin with a blank: the author, the time and its zone
_USUAL_HEADER = lazy_pattern(
    rb"tree .*\n(?:parent .*\n)*author ([^<\n]*<[^\n]*>) ([0-9]{1,18}) ([+-][0-9]{1,9})\n"
    rb"committer .*\n(?:gpgsig .*\n(?: .*\n)*)?\n(?=[!-\xff])"
)
_UTF8 = b"UTF-8"
_NOTHING: frozenset[str] = frozenset()  # the expensive placeholders of a named format


def _raw(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


class Printer:
    """Shows commits in one way.

    kind         "oneline", "short", "medium", "full", "fuller", "email", "mboxrd", "raw" or "user"
    is_user      a format with placeholders: no header line
    terminator   each entry ends with a newline; otherwise newlines separate entries
    empty_user   the format is empty: nothing is printed for a commit, no newline either
    mail         the properties of mails, for "email" and "mboxrd"
    reads        whether the commit itself is read, not only its name, its parents and the refs there
    dashed       whether the last text had the line `---` of a mail in it, with notes below
    """

    __slots__ = (
        "_authors",
        "_committers",
        "_form",
        "_is_utf8",
        "_mailmap",
        "_marks",
        "_palette",
        "_tabs",
        "_to_text",
        "dashed",
        "decorated",
        "empty_user",
        "env",
        "is_user",
        "kind",
        "mail",
        "names",
        "oid",
        "reads",
        "show_header",
        "terminator",
        "wants",
    )

    def __init__(
        self,
        chosen: PrettyFormat,
        env: Env,
        *,
        tabs: int,
        mailmap: bool,
        decorated: bool = False,
        marks: Marks | None = None,
        mail: mailtext.MailForm | None = None,
    ) -> None:
        self.kind, self._form = chosen.kind, chosen.form
        self.is_user = chosen.kind == "user"
        self.terminator = chosen.terminator
        self.empty_user = self.is_user and not chosen.form
        self.show_header = not self.is_user
        self.env = env
        self.wants = needs(chosen.form) if chosen.form else _NOTHING
        self.reads = not self.is_user or reads_commits(chosen.form)
        self.oid: Callable[[bytes], bytes] = full_hex
        self.names: Callable[[list[bytes]], list[bytes]] = _full_names  # `oid` for a list
        self._tabs = tabs
        self._mailmap = (
            env.store.mailmap if mailmap and not self.is_user and chosen.kind not in ("raw", "oneline") else None
        )
        self.decorated = decorated
        self._is_utf8 = env.encoding == _UTF8 or is_utf8(env.encoding)
        self._palette = env.palette
        self._marks = marks
        self.mail = mail or mailtext.MailForm()
        self.dashed = False
        self._authors: dict[bytes, bytes] = {}
        self._committers: dict[bytes, bytes] = {}
        self._to_text: Callable[[Commit, Sequence[bytes]], bytes]
        if self.is_user:
            self._to_text = compile_format(chosen.form, env)
        elif chosen.kind == "oneline":
            self._to_text = self._oneline
        elif chosen.kind in ("email", "mboxrd"):
            self._to_text = self._mail
        else:
            self._to_text = self._indented

    def text(self, commit: Commit, parents: Sequence[bytes] | None = None) -> bytes:
        """All of a commit that follows its header line: idents, date, message, notes; or the expanded user format."""
        shown = self._to_text(commit, commit.parents if parents is None else parents)
        notes = self.env.notes
        self.dashed = False
        if notes is not None and not self.is_user:
            added = notes(commit.oid)
            if added:
                self.dashed = self.kind in ("email", "mboxrd")
                return shown + (b"---\n" if self.dashed else b"") + added
        return shown

    def user_texts(self, *, sources: bool = False) -> FormatRows:
        """The function that gives the texts of some commits in the user's format; %m shows the side of each, %S its
        source if `sources` stand beside them."""
        return compile_rows(self._form, self.env, sources=sources)

    def decoration(self, oid: bytes) -> bytes:
        """` (HEAD -> main)` if decorations are shown and the commit has some, otherwise b""."""
        refs = self.env.decorations
        return refs.text(oid, self._palette) if self.decorated and refs is not None else b""

    def reflog_lines(self, reflog: ReflogInfo) -> bytes:
        """The lines that a walk of reflogs shows below (or after) the header line."""
        if self.kind == "oneline":
            return reflog.selector + b": " + reflog.message + b"\n"
        return b"Reflog: %s (%s)\nReflog message: %s\n" % (reflog.selector, reflog.ident, reflog.message)

    def tagger(self, line: bytes) -> bytes:
        """The tagger of a tag as `git show` writes it: the format decides about the date; the mailmap is not
        applied."""
        ident = split_ident(line)
        if ident is None or self.kind == "oneline":
            return b""
        if self.kind in ("email", "mboxrd"):
            date = dater(RFC, self.env.ctx.now)(ident.time, ident.tz)
            encoding = self.env.encoding or b"UTF-8"
            sender = mailtext.from_header(ident.name, ident.mail, encoding, encode=self.mail.encode)
            return sender + b"Date: " + date + b"\n"
        if self.kind == "fuller":
            date = self.env.dater(ident.time, ident.tz)
            return b"Tagger:     %s <%s>\nTaggerDate: %s\n" % (ident.name, ident.mail, date)
        shown = b"Tagger: %s <%s>\n" % (ident.name, ident.mail)
        if self.kind == "medium":
            shown += b"Date:   " + self.env.dater(ident.time, ident.tz) + b"\n"
        return shown

    def _source(self, commit: Commit) -> tuple[bytes, int]:
        """The raw commit in the output encoding, cut at the first NUL as in C, and the position of its message."""
        raw, at = commit.raw, commit.body_at
        encoding = self.env.encoding
        if raw.find(b"\nencoding ", 0, at) >= 0 or not is_utf8(encoding):
            raw = reencode_commit(raw, at, encoding)
            at = raw.find(b"\n\n") + 2
            at = at if at > 1 else len(raw)
        nul = raw.find(b"\0")
        return (raw, at) if nul < 0 else (raw[:nul], min(at, nul))

    def subjects(self, rows: Iterable[tuple[bytes, object, bytes, object, object]]) -> list[bytes]:
        """The texts of raw commits (oid, …, raw, …, …) in one line each, as `text` returns them; without notes."""
        usual = _USUAL_SUBJECT.match if self._is_utf8 else None
        subjects = []
        for oid, _, raw, _, _ in rows:
            match = (
                usual(raw) if usual and len(raw) < MANY_LINES else None
            )  # on a long one the pattern may be tried at each byte
            if match is None or b"\0" in raw:
                subjects.append(self._oneline(Commit(oid, raw, ()), ()))
            else:
                subjects.append(match[1])
        return subjects

    def blocks(self, rows: Iterable[tuple[bytes, Sequence[bytes], bytes, object, object]]) -> list[bytes]:
        """The texts of raw commits (oid, parents, raw, …, …) in a named format of several lines, as `text` returns
        them."""
        usual = _USUAL_HEADER.match if self.kind == "medium" and self._is_utf8 else None
        authors, dated, abbrev, notes = self._authors, self.env.dater, self.env.abbrev, self.env.notes
        texts = []
        for oid, parents, raw, _, _ in rows:
            match = usual(raw) if usual and len(raw) < MANY_LINES else None
            shown = b"" if match is None else authors.get(match[1]) or self._shown(match[1], b"Author")
            if match is None or not shown or b"\0" in raw or (notes is not None and notes(oid)):
                texts.append(self.text(Commit(oid, raw, ()), parents))
                continue
            merge = b"Merge: " + b" ".join(map(abbrev, parents)) + b"\n" if len(parents) > 1 else b""
            date, body = dated(int(match[2]), int(match[3])), self._indent(raw[match.end() :])
            texts.append(b"%sAuthor: %s\nDate:   %s\n\n    %s\n" % (merge, shown, date, body))
        return texts

    def _oneline(self, commit: Commit, parents: Sequence[bytes]) -> bytes:
        raw, at = self._source(commit)
        end = raw.find(b"\n", at)
        if end > at and raw[end : end + 2] in (b"\n\n", b"\n") and raw[at] > 32 and raw[end - 1] > 32:
            return raw[at:end]
        return join_lines(split_subject(raw[at:])[0])

    def _indented(self, commit: Commit, parents: Sequence[bytes]) -> bytes:
        raw, at = self._source(commit)
        if len(raw) >= LARGE:
            need(4 * len(raw))  # the message without its header, indented, and with its header again
        if self.kind == "raw":
            head = raw[: at - 1] if raw[at - 2 : at] == b"\n\n" else raw[:at]
        else:
            head = self._head(raw, at, parents)
        body = skip_blank_lines(raw[at:])
        if self.kind == "short":
            body = split_subject(body)[0]
        body = self._indent(body)
        if not body:
            return head.rstrip(SPACE) + b"\n"
        return head + b"\n    " + body + b"\n"

    def _head(self, raw: bytes, at: int, parents: Sequence[bytes]) -> bytes:
        """The lines Merge:, Author:, Date: and Commit: that the format has."""
        kind, env = self.kind, self.env
        out = b""
        if len(parents) > 1:
            out = b"Merge: " + b" ".join([env.abbrev(oid) for oid in parents]) + b"\n"
        match = USUAL_AUTHOR.search(raw, 0, at)
        if match is not None and (shown := self._authors.get(match[1]) or self._shown(match[1], b"Author")):
            if kind == "medium":
                return b"%sAuthor: %s\nDate:   %s\n" % (out, shown, env.dater(int(match[2]), int(match[3])))
            if kind == "fuller":
                out += b"Author:     %s\nAuthorDate: %s\n" % (shown, env.dater(int(match[2]), int(match[3])))
            else:
                out += b"Author: %s\n" % shown
        elif match is None:
            out += self._odd_person(_line(raw, b"\nauthor ", at), b"Author")
        if kind not in ("full", "fuller"):
            return out
        match = USUAL_COMMITTER.search(raw, 0, at)
        if match is not None and (shown := self._committers.get(match[1]) or self._shown(match[1], b"Commit")):
            if kind == "fuller":
                return out + b"Commit:     %s\nCommitDate: %s\n" % (shown, env.dater(int(match[2]), int(match[3])))
            return out + b"Commit: %s\n" % shown
        return out if match is not None else out + self._odd_person(_line(raw, b"\ncommitter ", at), b"Commit")

    def _shown(self, ident_bytes: bytes, label: bytes) -> bytes:
        """`Name <mail>` as it is shown; b"" if git cannot parse it. Cached: there are few people and many commits."""
        person = self._person(ident_bytes)
        shown = b"" if person is None else self._marked(b"%s <%s>" % person[:2], label)
        (self._authors if label == b"Author" else self._committers)[ident_bytes] = shown
        return shown

    def _marked(self, person: bytes, label: bytes) -> bytes:
        if self._marks is None:
            return person
        return self._marks.author(person) if label == b"Author" else self._marks.committer(person)

    def _odd_person(self, line: bytes | None, label: bytes) -> bytes:
        """The lines of an ident that is not written as git writes it."""
        person = self._person(line)
        if person is None:
            return b""
        name, mail, epoch, tz = person
        shown = self._marked(b"%s <%s>" % (name, mail), label)
        if self.kind == "fuller":
            return b"%s:     %s\n%sDate: %s\n" % (label, shown, label, self.env.dater(epoch, tz))
        out = b"%s: %s\n" % (label, shown)
        return out + b"Date:   %s\n" % self.env.dater(epoch, tz) if self.kind == "medium" else out

    def _person(self, line: bytes | None) -> tuple[bytes, bytes, int, int] | None:
        ident = None if line is None else split_ident(line)
        if ident is None:
            return None
        name, mail = ident.name, ident.mail
        if self._mailmap:
            name, mail = self._mailmap.map(name, mail)
        return name, mail, ident.time, ident.tz

    def _indent(self, body: bytes) -> bytes:
        """The message with four blanks before every line, without white space at the ends of lines, tabs aligned."""
        if self._marks is None and b"\t" not in body and b" \n" not in body and b"\r" not in body:
            return replaced(body.rstrip(b" \n"), b"\n", b"\n    ")
        body = body.rstrip(SPACE)
        return joined(self._lines(body), b"\n    ") if body else b""

    def _lines(self, body: bytes) -> list[bytes]:
        """The lines of a message as they are shown, without the indentation."""
        lines = [line.rstrip(SPACE) for line in lines_in(body)]
        mark = bytes if self._marks is None else self._marks.line
        if self._tabs:
            return [expand_tabs(line, self._tabs, mark) for line in lines]
        if self.kind == "mboxrd":
            return [b">" + mark(line) if mailtext.is_from(line) else mark(line) for line in lines]
        return lines if self._marks is None else list(map(mark, lines))

    def _mail(self, commit: Commit, parents: Sequence[bytes]) -> bytes:
        raw, at = self._source(commit)
        form, encoding = self.mail, self.env.encoding or b"UTF-8"
        out = author = b""
        person = self._person(_line(raw, b"\nauthor ", at))
        if person is not None:
            name, mail, epoch, tz = person
            if form.sender is not None:
                if form.in_body or form.sender != (name, mail):
                    author = b"From: %s <%s>\n\n" % (name, mail)
                name, mail = form.sender
            out = mailtext.from_header(name, mail, encoding, encode=form.encode)
            out += b"Date: " + dater(RFC, self.env.ctx.now)(epoch, tz) + b"\n"
        message = raw[at:]
        subject, rest = split_subject(message)
        title = join_lines(subject, b"\n" if form.keep else b" ")
        if form.subject:
            out += mailtext.subject_header(title, encoding, form.tag, encode=form.encode)
        else:
            out += b"\n" + title + b"\n"
        if form.charset > 0 or (not form.charset and mailtext.has_eight_bits(message + author)):
            out += mailtext.mime_header(encoding)
        out += form.headers + b"\n" + author
        rest = rest.rstrip(SPACE)
        body = b"\n".join(self._lines(rest)) if rest else b""
        out = out + body + b"\n" if body else out.rstrip(SPACE) + b"\n\n"
        return signed_off(out, form.signoff, trailer_rules(self.env.store)) if form.signoff else out


def full_hex(oid: bytes) -> bytes:
    """An object's whole name."""
    return oid.hex().encode()


def _full_names(oids: list[bytes]) -> list[bytes]:
    return [oid.hex().encode() for oid in oids]


def _line(raw: bytes, name: bytes, stop: int) -> bytes | None:
    at = raw.find(name, 0, stop)
    if at < 0:
        return None
    end = raw.find(b"\n", at + 1)
    return raw[at + len(name) :] if end < 0 else raw[at + len(name) : end]


_TRUE = (b"true", b"yes", b"on", b"1")


def _decoration_style(value: str | None, style: Style) -> str:
    """The value of --decorate or log.decorate: "short", "full" or ""; "auto" depends on the terminal."""
    if value is None:
        configured = style.config.get("log.decorate")
        if configured is None:
            value = "auto"
        elif configured.lower() in _TRUE:
            value = "short"
        else:
            value = text(configured)
    if value == "auto":
        return "short" if style.is_tty else ""
    return value if value in ("short", "full") else ""


def _notes_by_default(options: Options, config: Config, chosen: PrettyFormat) -> bool:
    return options.pretty is None or names_notes(options, config, chosen)


def names_notes(options: Options, config: Config, chosen: PrettyFormat, *, configured: bool = True) -> bool:
    """Whether a format that was named (see `template_of`) has notes in it."""
    template = template_of(options, config, chosen, configured=configured)
    return bool(template) and "N" in needs(template)


def shown_notes(options: Options, store: Store) -> Callable[[bytes], bytes] | None:
    """The notes shown with a commit, without headings: --grep searches them too. None if none are shown. It is for the
    printer to warn of invalid refs."""
    by_default = _notes_by_default(options, store.config, chosen_format(options, store.config))
    return _notes(options, store, by_default=by_default, raw=True, ctx=None)


def _notes(options: Options, store: Store, *, by_default: bool, raw: bool, ctx: Context | None) -> ShownNotes | None:
    if not (by_default or options.notes):  # nothing of notes has to be known
        return None
    refs = note_refs(store, options.notes, by_default=by_default, ctx=ctx)
    return None if refs is None else ShownNotes(store, refs, raw=raw, encoding=output_encoding(store, options.encoding))


def output_encoding(store: Store, given: str | None = None) -> bytes:
    """The encoding in which messages are shown; b"" leaves them as they are stored."""
    if given is not None:
        return b"" if given == "none" else _raw(given)
    config = store.config
    return config.get("i18n.logOutputEncoding") or config.get("i18n.commitEncoding") or _UTF8


def chosen_format(
    options: Options, config: Config, *, pretty: str | None = None, configured: bool = True
) -> PrettyFormat:
    """The format that options and configuration select (format.pretty, pretty.*); see `make_printer`."""
    value = pretty if options.pretty is None else options.pretty
    named = config.get("format.pretty") if configured else None
    if named is None and (builtin := BUILTIN.get(b"medium" if value is None else _raw(value))) is not None:
        return builtin  # it has its whole name: no alias can be meant
    aliases = pretty_aliases(config)
    if named is not None:
        chosen = find_format(named, aliases)  # git dies of a bad one even if it is not used
    return chosen if value is None else find_format(_raw(value), aliases)


def template_of(options: Options, config: Config, chosen: PrettyFormat, *, configured: bool = True) -> bytes:
    """The last format with placeholders that was named, even if a built-in one is used in its place.

    Strange but git's: its placeholders still have an effect, so that `--format=%N --oneline` shows notes, and
    `-c format.pretty=%S log --oneline` the sources.
    """
    if chosen.kind == "user":
        return chosen.form
    names = [_raw(name) for name in reversed(options.overruled_formats)]
    named = config.get("format.pretty") if configured else None
    for name in names if named is None else [*names, named]:
        form = find_format(name, pretty_aliases(config))
        if form.kind == "user":
            return form.form
    return b""


def make_printer(
    options: Options,
    store: Store,
    *,
    style: Style,
    ctx: Context,
    chosen: PrettyFormat | None = None,
    pretty: str | None = None,
    configured: bool = True,
    matched: MatchSpec | None = None,
    mail: mailtext.MailForm | None = None,
    encode: bool | None = None,
    noted: bool | None = None,
) -> Printer:
    """The printer that options and configuration select.

    `chosen` is their format if it was looked up already. `pretty` is the format if they name none; `configured` says
    whether log.date, log.abbrevCommit, format.pretty and color.diff are used, notes are shown by default, and refs
    beside commits are filtered (not so in rev-list, diff-tree, format-patch and shortlog); `matched` are the patterns
    by which the commits were selected, whose matches are coloured; `mail` the properties of mails if the configuration
    does not decide them, `encode` one of them that an option decides; `noted` whether notes are shown by default if
    that differs from what `configured` says.
    Reads log.date, log.decorate, log.abbrevCommit, log.mailmap, notes.displayRef, i18n.logOutputEncoding,
    format.subjectPrefix, format.encodeEmailHeaders. Raises GitError in git's words.
    """
    config = store.config
    value = pretty if options.pretty is None else options.pretty
    if chosen is None:
        chosen = chosen_format(options, config, pretty=pretty, configured=configured)
    encoding = output_encoding(store, options.encoding)
    palette = style.color("diff", options.color or (None if configured else "never"))
    decorated = _decoration_style(options.decorate, style)
    if chosen.kind == "raw" and value is not None and options.decorate is None:
        decorated = ""
    by_default = (configured and _notes_by_default(options, config, chosen)) if noted is None else noted
    abbrev = Abbreviator(store, None if options.abbrev is None or options.abbrev < 0 else options.abbrev)
    shows_refs, full = decorated or chosen.kind == "user", decorated == "full"
    env = Env(
        store,
        ctx=ctx,
        abbrev=abbrev,
        abbrev_many=abbrev.many,
        dater=_dater(_date_mode(options, chosen if value is not None else None, configured, style), chosen, ctx),
        palette=palette,
        decorations=decorations_of(store, options, ctx, full=full, filtered=configured) if shows_refs else None,
        notes=_notes(options, store, by_default=by_default, raw=chosen.kind == "user", ctx=ctx),
        encoding=encoding,
        columns=style.columns,
    )
    mailmap = config.get_bool("log.mailmap", True) is not False if options.mailmap is None else options.mailmap
    tabs = chosen.tabs if options.expand_tabs is None else options.expand_tabs
    marks = None
    if matched is not None and not matched.invert and palette:
        from .grep_colors import Marks

        marks = Marks(matched, palette, ctx)
    printer = Printer(
        chosen,
        env,
        tabs=tabs,
        mailmap=mailmap,
        decorated=bool(decorated),
        marks=marks,
        mail=_mail_form(config, encode) if mail is None else mail,
    )
    shorten = options.abbrev_commit
    in_full = chosen.kind == "raw" and value is not None  # unless abbreviated names were asked for by name
    if shorten is None:
        shorten = configured and config.get_bool("log.abbrevCommit", False) is True and not in_full
    elif in_full and options.by_oneline and configured:
        shorten = False
    if shorten:
        printer.oid, printer.names = abbrev, abbrev.many
    return printer


def _dater(mode: DateMode, chosen: PrettyFormat, ctx: Context) -> Dater:
    """The dater of a printer. A single line shows no date, but dates may name entries of a reflog."""
    if chosen.kind != "oneline":
        return dater(mode, ctx.now)
    return lambda epoch, tz: dater(mode, ctx.now)(epoch, tz)


def _mail_form(config: Config, encode: bool | None) -> mailtext.MailForm:
    """The mails of a log: format.subjectPrefix, format.encodeEmailHeaders."""
    prefix = config.get("format.subjectprefix")
    if encode is None:
        encode = config.get_bool("format.encodeemailheaders", True) is not False
    form = mailtext.MailForm(encode=encode)
    if prefix is not None:
        form.tag = b"[%s] " % prefix if prefix else b""
    return form


def _date_mode(options: Options, chosen: PrettyFormat | None, configured: bool, style: Style) -> DateMode:
    """The date mode: --date, or `reference`'s short dates even if another format follows it, or log.date.

    A `reference` of format.pretty comes after log.date. `chosen` is the format if one was asked for.
    """
    config = style.config
    value = config.get("log.date") if configured else None
    usual = None if value is None else parse_date_mode(value, is_tty=style.is_tty)
    if options.date is not None:
        return parse_date_mode(_raw(options.date), is_tty=style.is_tty)
    overruled = [find_format(_raw(name), pretty_aliases(config)) for name in options.overruled_formats]
    if any(form is not None and form.short_dates for form in (chosen, *overruled)):
        return SHORT
    named = config.get("format.pretty") if configured and usual is None else None
    if named is not None and find_format(named, pretty_aliases(config)).short_dates:
        return SHORT
    return usual or DEFAULT
