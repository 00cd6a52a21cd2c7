"""git stripspace: text without unnecessary white space, as git stores messages; or as comments."""

from __future__ import annotations

from collections.abc import Iterator

from ..annotations import Annotated, Any, Literal
from ..errors import BadConfig, InvalidArgs, text
from ..limits import Context
from ..plans.positionals import Positionals
from ..render.message import as_comments, strip_space
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from .command import Command

_USAGE = "usage: git stripspace [-s | --strip-comments]\n   or: git stripspace [-c | --comment-lines]"


class StripspaceResult(Result):
    """The text."""

    text: str = Field(description="The text, cleaned.")


class StripspaceRequest(Request[StripspaceResult]):
    """`git stripspace`."""

    text: str | None = Field(None, description="The text; none for standard input.")
    mode: Annotated[
        Literal["strip", "comment"] | None,
        Flag("-s", "--strip-comments", const="strip", mode="mode"),
        Flag("-c", "--comment-lines", const="comment", mode="mode"),
    ] = Field(None, description="'strip': leave comments out; 'comment': make every line one.")

    @property
    def reads_stdin(self) -> bool:
        """Whether standard input is read."""
        return self.text is None


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind no arguments."""
    if words.before or words.after:
        raise InvalidArgs(_USAGE, prefix="")


def run(store: Store, request: StripspaceRequest, ctx: Context) -> bytes:
    """The comment character."""
    sign = store.config.get("core.commentchar")
    if sign is None or sign.lower() == b"auto" or request.mode is None:
        return b"#"
    if len(sign) != 1:
        raise BadConfig(f"bad config variable 'core.commentchar': {text(sign)}")
    return sign


def _clean(data: bytes, sign: bytes, request: StripspaceRequest) -> bytes:
    if request.mode == "comment":
        return as_comments(data, sign)
    return strip_space(data, sign if request.mode == "strip" else b"")


def collect(sign: bytes, request: StripspaceRequest) -> StripspaceResult:
    """The typed result."""
    data = _clean(to_bytes(request.text or ""), sign, request)
    return StripspaceResult(text=to_text(data))


def render(sign: bytes, request: StripspaceRequest, style: Style) -> Iterator[bytes]:
    """The text."""
    data = style.stdin if request.text is None else to_bytes(request.text)
    yield _clean(data or b"", sign, request)


COMMAND = Command(
    "stripspace",
    StripspaceRequest,
    StripspaceResult,
    run,
    collect,
    render,
    bind=bind,
    needs_repository=False,
    summary="text without needless white space",
)
