"""The mails of git format-patch, as options and the configuration (`format.*`) define them."""

from __future__ import annotations

from ..config.config import parse_bool
from ..errors import BadConfig, BadRequest, Unsupported, text
from ..limits import Context
from ..objects.idents import need_person, split_ident
from ..records import field, typed_row
from ..render.log.mail_text import MailForm, has_eight_bits
from ..render.log.mails import Envelope, Threads, gather_headers, message_id
from ..repo.store import Store
from ..request.format_patch import FormatPatchRequest, cover_mode
from ..request.text import to_bytes
from ..version import MIRRORED

WIDTH = 72  # columns of a mail
_LONGEST_NAME = 64


@typed_row
class Mailing:
    """The common properties of the mails of a series.

    `first` is the number of the first mail; `signs` is whether each is signed off, by a person looked up later.
    """

    envelope: Envelope
    form: MailForm
    threads: Threads
    first: int
    cover_from: str
    signs: bool
    notes: list[str] = field(default_factory=list)


def check(request: FormatPatchRequest, store: Store) -> None:
    """Raise errors that git reports before it looks at commits, and Unsupported for settings that are not honoured."""
    _sender(request, store)
    if request.keep_subject and request.numbered:
        raise BadRequest("options '-n' and '-k' cannot be used together")
    if request.keep_subject and request.subject_prefix is not None:
        raise BadRequest("options '--subject-prefix/--rfc' and '-k' cannot be used together")
    for option, asked in (
        ("--name-only", request.name_only),
        ("--name-status", request.name_status),
        ("--check", request.check),
        ("--remerge-diff", request.diff_merges == "remerge"),
    ):
        if asked:
            raise BadRequest(f"{option} does not make sense")
    if store.config.has("format.signaturefile"):
        raise Unsupported(
            "gitglass format-patch does not take format.signatureFile: it reads a file outside of the repository",
            status=129,
            prefix="error",
        )


def committer(store: Store) -> tuple[bytes, bytes]:
    """The committer, by the environment and the configuration. Raises NotFound and BadRequest."""
    return need_person(store.config, "committer", store.where.people)


def sign_off(form: MailForm, store: Store) -> None:
    """Add a sign-off line to the end of mails. Raises NotFound."""
    person = committer(store)
    form.signoff = b"Signed-off-by: %s <%s>\n" % person
    if has_eight_bits(person[0]) and not form.charset:
        form.charset = 1


def read_mailing(store: Store, request: FormatPatchRequest, count: int, ctx: Context) -> Mailing:
    """The mails of a series of `count` commits. Raises GitError for invalid settings."""
    config = store.config
    cover = _cover(request, store, count)
    envelope = Envelope(
        prefix=_prefix(request, store),
        keep=request.keep_subject,
        headers=gather_headers(_headers(request, store)),
        inline=request.inline,
        boundary=_boundary(request, store),
        version=None if request.version is None else to_bytes(request.version),
        by_number=request.numbered_files,
        signature=_signature(request, store),
    )
    first = max(request.start_number, 1) if request.start_number < 0 else request.start_number
    if not request.keep_subject and _numbered(request, store, count, cover):
        envelope.total = count + first - 1
    suffix = request.suffix if request.suffix is not None else config.get_text("format.suffix")
    envelope.suffix = b".patch" if suffix is None else to_bytes(suffix)
    length = request.name_length if request.name_length is not None else config.get_int("format.filenamemaxlength")
    envelope.longest = _LONGEST_NAME if length is None else length
    if envelope.longest <= len(b"0000-") + len(envelope.suffix):
        envelope.longest = len(b"0000-") + len(envelope.suffix)
    return Mailing(
        envelope,
        _form(request, store, envelope),
        _threads(request, store, cover, ctx),
        first,
        request.cover_from or _cover_from(store),
        bool(config.get_bool("format.signoff", False) if request.signoff is None else request.signoff),
        _notes(request, store),
    )


def _prefix(request: FormatPatchRequest, store: Store) -> bytes:
    given = request.subject_prefix
    configured = store.config.get("format.subjectprefix")
    prefix = (b"PATCH" if configured is None else configured) if given is None else to_bytes(given)
    if request.version is not None:
        prefix += b" v" + to_bytes(request.version)
    return prefix


def _numbered(request: FormatPatchRequest, store: Store, count: int, cover: bool) -> bool:
    """Whether mails are numbered: -n, -N, format.numbered; by default if there are several mails."""
    if request.numbered is not None:
        return request.numbered
    value = store.config.get("format.numbered")
    if value is not None and value.lower() != b"auto":
        return store.config.get_bool("format.numbered", False) is True
    return count > 1 or cover


def _cover(request: FormatPatchRequest, store: Store, count: int) -> bool:
    if request.cover_letter is not None:
        return request.cover_letter
    value = store.config.get("format.coverletter")
    if value is not None and value.lower() == b"auto":
        return count > 1
    return store.config.get_bool("format.coverletter", False) is True


def _cover_from(store: Store) -> str:
    return cover_mode(store.config.get_text("format.coverfromdescription") or "default")


def _headers(request: FormatPatchRequest, store: Store) -> list[bytes]:
    """Additional headers in the order they were given, those of the configuration first."""
    lines: list[bytes] = []
    for entry in store.config.entries:
        if entry.key in (b"format.headers", b"format.to", b"format.cc"):
            if entry.value is None:
                raise BadConfig(f"bad config variable '{text(entry.key)}'")
            front = {b"format.to": b"To: ", b"format.cc": b"Cc: "}.get(entry.key, b"")
            lines.append(front + entry.value)
    return lines + [to_bytes(line) for line in request.headers]


def _boundary(request: FormatPatchRequest, store: Store) -> bytes | None:
    given: bytes | None
    if request.attach is not None:
        given = to_bytes(request.attach)
    elif store.config.has("format.attach"):
        entry = store.config.entry("format.attach")
        given = b"@" if entry is None or entry.value is None else entry.value
    else:
        return None
    return MIRRORED.encode() if given == b"@" else given or None


def _signature(request: FormatPatchRequest, store: Store) -> bytes:
    if request.signature is not None:
        return to_bytes(request.signature)
    configured = store.config.get("format.signature")
    return MIRRORED.encode() if configured is None else configured


def _form(request: FormatPatchRequest, store: Store, envelope: Envelope) -> MailForm:
    config = store.config
    encode = request.encode_headers
    in_body = request.author_in_body
    return MailForm(
        keep=request.keep_subject,
        encode=config.get_bool("format.encodeemailheaders", True) is not False if encode is None else encode,
        charset=-1 if envelope.boundary is not None else 0,
        in_body=bool(config.get_bool("format.forceinbodyfrom", False) if in_body is None else in_body),
        anonymous=request.zero_commit,
        sender=_sender(request, store),
    )


def _sender(request: FormatPatchRequest, store: Store) -> tuple[bytes, bytes] | None:
    """The sender of the mails, if it is not the author of each: --from, format.from."""
    if request.sender is not None:
        if request.sender in ("", "@"):
            return committer(store) if request.sender else None
        given = to_bytes(request.sender)
    else:
        entry = store.config.entry("format.from")
        if entry is None:
            return None
        truth = parse_bool(entry.value)
        if truth is not None:
            return committer(store) if truth else None
        given = entry.value or b""
    ident = split_ident(given)
    if ident is None:
        raise BadRequest(f"invalid ident line: {text(given)}")
    return ident.name, ident.mail


def _threads(request: FormatPatchRequest, store: Store, cover: bool, ctx: Context) -> Threads:
    style = request.thread
    if style is None:
        value = store.config.get("format.thread")
        word = b"" if value is None else value.lower()
        if word in (b"deep", b"shallow"):
            style = word.decode()
        else:
            style = "shallow" if store.config.get_bool("format.thread", False) else ""
    threads = Threads(style, cover)
    if request.reply_to is not None:
        threads.above.append(message_id(to_bytes(request.reply_to)))
    if style:
        mail = committer(store)[1]
        threads.name = lambda what: b"%s.%d.git.%s" % (what, ctx.now, mail)
    return threads


def _notes(request: FormatPatchRequest, store: Store) -> list[str]:
    """The notes refs: format.notes, then the options."""
    words: list[str] = []
    for value in store.config.get_all("format.notes"):
        truth = parse_bool(value)
        words.append("+" + text(value) if truth is None else "+" if truth else "-")
    return words + list(request.notes)
