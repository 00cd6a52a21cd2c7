"""The options of git format-patch --stdout: a range of commits as mails (git-format-patch(1))."""

from __future__ import annotations

from collections.abc import Callable

from ..annotations import Annotated
from ..errors import BadRequest, InvalidArgs, Unsupported
from ..records import field, typed_row
from .declared import Field
from .diff import DiffOptions
from .flag import Flag, leading_number, number
from .pretty import ScriptFormat
from .request import Pathspecs, Request
from .revision import WalkOptions
from .rows.commit import CommitRow
from .rows.diff import FileChange
from .rows.page import Page

#: options of the walk that draw a log or follow a file: a series of mails does not have them
REFUSED_FORMS = {
    "--graph": "a series of mails has no graph",
    "--oneline": "only the formats of mails are there",
    "--no-commit-id": "a mail begins with its headers",
    "--filter": "it is for lists of objects",
    "--follow": "a series is not along one file",
    "-L": "a series is not along lines",
    "-g": "a series is not along reflogs",
    "--walk-reflogs": "a series is not along reflogs",
    "--show-linear-break": "a series has no barriers",
    "--log-size": "mails have no sizes",
    "--stdin": "it reads revisions from standard input",
}
REFUSED_WRITES = {
    "-o": "it writes files",
    "--output-directory": "it writes files",
    "--signature-file": "it reads a file outside of the repository",
    "--interdiff": "a diff between versions of a series is not made",
    "--range-diff": "a diff between versions of a series is not made",
    "--creation-factor": "a diff between versions of a series is not made",
}


@typed_row
class MailedPatch(CommitRow):
    """A commit of a series: its number there, and the files it changes."""

    number: int = 0
    files: list[FileChange] = field(default_factory=list)


class FormatPatchResult(Page):
    """The commits of a series, the oldest first."""

    patches: list[MailedPatch] = Field(default_factory=list, description="The commits that are mailed.")


def _form(value: str) -> str:
    if value in ("email", "mboxrd"):
        return value
    raise Unsupported(
        f"gitglass format-patch does not take the format '{value}': only mails are written", status=129, prefix="error"
    )


def _thread(value: str) -> str:
    if value in ("deep", "shallow"):
        return value
    raise InvalidArgs("", prefix="")


def cover_mode(value: str) -> str:
    """How a description becomes a cover letter. Raises BadRequest for an invalid mode."""
    if value in ("default", "message", "none", "subject", "auto"):
        return value
    raise BadRequest(f"{value}: invalid cover from description mode")


def _ident(value: str) -> str:
    if not value:  # an empty sender in the request means each author
        raise BadRequest("invalid ident line: ")
    return value


def _base(value: str) -> str:
    if not value:  # an empty one in the request means none
        raise BadRequest("unknown commit ")
    return value


def _addressed(header: str) -> Callable[[str], str]:
    return lambda value: header + value


def _own(*names: str, **more: object) -> Flag:
    """An option of git format-patch's own, which leaves unknown words to others: only whole names are known then."""
    return Flag(*names, exact=True, **more)  # type: ignore[arg-type]


class FormatPatchRequest(Request[FormatPatchResult], WalkOptions, DiffOptions, ScriptFormat, Pathspecs):
    """`git format-patch --stdout`: commits as mails, each with its patch."""

    stdout: Annotated[bool, _own("--stdout", no=True)] = Field(
        False, description="Print the mails: without it git writes them to files, which is refused."
    )

    # ---------------------------------------------------------------- options spelled differently than in git log
    max_count: Annotated[
        int | None,
        Flag("--max-count", "-NUM", value="number", parse=leading_number, walk=True, sets={"no_walk": None}),
    ] = Field(None, description="At most this many commits.")
    patch: Annotated[bool, Flag("-u", "--patch", exact=True, sets={"no_patch": False})] = Field(
        False, description="The changes as a patch, which they are in any case."
    )
    no_patch: Annotated[bool, Flag("--no-patch", exact=True)] = Field(False, description="Nothing beside the patch.")
    quiet: Annotated[bool, _own("-q", "--quiet", no=True)] = Field(False, description="Nothing on standard error.")
    pretty: Annotated[
        str | None,
        Flag("--pretty", value="format", parse=_form, stuck=True, walk=True),
        Flag("--format", value="format", parse=_form, stuck=True, walk=True),
    ] = Field(None, description="'email' or 'mboxrd', which quotes lines that begin with 'From '.")
    walk_reflogs: bool = Field(False, description="Not there.")
    show_linear_break: str | None = Field(None, description="Not there.")
    log_size: bool = Field(False, description="Not there.")
    max_parents: Annotated[
        int,
        Flag("--max-parents", value="number", parse=leading_number, stuck=True, walk=True),
        Flag("--no-merges", const=1, walk=True),
        Flag("--no-max-parents", const=-1, walk=True),
    ] = Field(1, description="Only commits with at most so many parents; -1: any.")
    root: Annotated[bool, Flag("--root", walk=True)] = Field(
        False, description="All commits up to the one named, not those since."
    )
    idle: Annotated[
        bool,
        Flag("--in-commit-order", "--objects", "--objects-edge", "--objects-edge-aggressive", walk=True),
        Flag("--verify-objects", "--no-filter", "--count", "--no-graph", "--no-follow", walk=True),
        Flag("--no-show-signature", walk=True),
    ] = Field(False, description="Nothing: it is for lists of objects, or never asked for.")
    always: Annotated[bool, Flag("--always", walk=True)] = Field(False, description="Commits without changes, too.")

    # ---------------------------------------------------------------- subjects
    numbered: Annotated[
        bool | None,
        _own("-n", "--numbered"),
        _own("-N", "--no-numbered", const=False, negation=True),
    ] = Field(None, description="Number even a single mail, or none at all (format.numbered).")
    start_number: Annotated[
        int, _own("--start-number", value="n", parse=number("start-number"), no=True, no_const=0)
    ] = Field(1, description="The number of the first mail.")
    version: Annotated[str | None, _own("-v", "--reroll-count", value="reroll-count", no=True, no_const=None)] = Field(
        None, description="The version of the series."
    )
    subject_prefix: Annotated[
        str | None,
        _own("--subject-prefix", value="prefix"),
        _own("--rfc", const="RFC PATCH"),
    ] = Field(None, description="What stands in the brackets instead of PATCH.")
    keep_subject: Annotated[bool, _own("-k", "--keep-subject")] = Field(
        False, description="The subject as it is: without brackets, in several lines where it has them."
    )

    progress: Annotated[bool, _own("--progress", no=True)] = Field(False, description="Accepted; nothing is shown.")

    # ---------------------------------------------------------------- what a mail has in it
    signoff: Annotated[bool | None, _own("-s", "--signoff", no=True)] = Field(
        None, description="Add the line Signed-off-by."
    )
    cover_letter: Annotated[bool | None, _own("--cover-letter", no=True)] = Field(
        None, description="A first mail about all of them (format.coverLetter)."
    )
    cover_from: Annotated[
        str | None, _own("--cover-from-description", value="mode", parse=cover_mode, no=True, no_const=None)
    ] = Field(None, description="What the branch's description is in the cover letter.")
    numbered_files: Annotated[bool, _own("--numbered-files", no=True)] = Field(
        False, description="Attachments are named by number."
    )
    suffix: Annotated[str | None, _own("--suffix", value="sfx", no=True, no_const=None)] = Field(
        None, description="How the names of attachments end (.patch)."
    )
    name_length: Annotated[
        int | None, _own("--filename-max-length", value="n", parse=number("filename-max-length"), no=True, no_const=0)
    ] = Field(None, description="How long the names of attachments may be (64).")
    no_binary: Annotated[bool, _own("--no-binary", no=True)] = Field(False, description="Binary files are only named.")
    zero_commit: Annotated[bool, _own("--zero-commit", no=True)] = Field(
        False, description="Zeros in the place of the commit's name."
    )
    not_upstream: Annotated[bool, _own("--ignore-if-in-upstream", no=True)] = Field(
        False, description="Leave out what the other side of the range has."
    )
    no_stat: Annotated[bool, _own("-p", "--no-stat", negation=False)] = Field(
        False, description="Only the patch, no counts."
    )
    signature: Annotated[str | None, _own("--signature", value="signature", no=True, no_const="")] = Field(
        None, description="What stands below each mail; empty for nothing (git's version)."
    )

    base: Annotated[str | None, _own("--base", value="base-commit", no=True, no_const="", parse=_base)] = Field(
        None, description="Tell what the series stands on: a commit, 'auto' for the upstream's (format.useAutoBase)."
    )

    # ---------------------------------------------------------------- mail
    headers: Annotated[
        list[str],
        _own("--add-header", value="header", append=True),
        _own("--no-add-header", const="-", append=True, negation=True),
        _own("--to", value="email", append=True, parse=_addressed("To: ")),
        _own("--no-to", const="-to", append=True, negation=True),
        _own("--cc", value="email", append=True, parse=_addressed("Cc: ")),
        _own("--no-cc", const="-cc", append=True, negation=True),
    ] = Field(
        default_factory=list,
        description="More header lines, 'To: …' and 'Cc: …' gathered; '-to', '-cc', '-' forget those before them.",
    )
    sender: Annotated[
        str | None, _own("--from", value="ident", optional=True, const="@", no=True, no_const="", parse=_ident)
    ] = Field(None, description="Who sends the mails, 'name <address>'; '@' for the committer, empty for the author.")
    author_in_body: Annotated[bool | None, _own("--force-in-body-from", no=True)] = Field(
        None, description="Name the author in the body even where it is the sender."
    )
    reply_to: Annotated[str | None, _own("--in-reply-to", value="message-id", no=True, no_const=None)] = Field(
        None, description="The first mail answers this one."
    )
    thread: Annotated[
        str | None, _own("--thread", value="style", optional=True, const="shallow", parse=_thread, no=True, no_const="")
    ] = Field(None, description="Bind the mails together: 'shallow', 'deep', or empty (format.thread).")
    attach: Annotated[
        str | None,
        _own("--attach", value="boundary", optional=True, const="@", no=True, no_const="", sets={"inline": False}),
        _own("--inline", value="boundary", optional=True, const="@", sets={"inline": True}),
    ] = Field(None, description="The patch as an attachment; '@' for the usual boundary.")
    inline: bool = Field(False, description="The attachment is to be shown in its place.")
    encode_headers: Annotated[
        bool | None,
        Flag("--encode-email-headers", walk=True),
        Flag("--no-encode-email-headers", const=False, walk=True),
    ] = Field(None, description="Headers that are not ASCII are encoded (format.encodeEmailHeaders).")


#: the fields whose options git looks for before it reads revisions and paths
OWN = frozenset(
    ["stdout", "quiet", "numbered", "start_number", "version", "subject_prefix", "keep_subject", "signoff",
     "cover_letter", "cover_from", "numbered_files", "suffix", "name_length", "no_binary", "zero_commit",
     "not_upstream", "no_stat", "signature", "headers", "sender", "author_in_body", "reply_to", "thread", "attach",
     "base", "progress"]
)  # fmt: skip
