"""git check-ref-format: whether a name may be that of a ref, or of a branch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..annotations import Annotated, Any
from ..errors import BadRequest, GitError, InvalidArgs, text
from ..limits import Context
from ..plans.positionals import Positionals
from ..refs.names import check_refname
from ..render.style import Style
from ..repo.store import Store
from ..request.declared import Field
from ..request.flag import Flag
from ..request.request import Request, Result
from ..request.text import to_bytes, to_text
from ..revs.grammar import branch_mark, prior_checkout
from ..revs.names import HEADS, prior_branch, upstream
from .command import Command

_USAGE = (
    "usage: git check-ref-format [--normalize] [<options>] <refname>\n"
    "   or: git check-ref-format --branch <branchname-shorthand>"
)
_SLASHES = re.compile(rb"\A/+|(?<=/)/+")


class CheckRefFormatResult(Result):
    """Whether the name is well formed."""

    valid: bool = Field(description="The name may be that of a ref.")
    name: str = Field(description="The name: normalized, or the branch that the shorthand means.")


class CheckRefFormatRequest(Request[CheckRefFormatResult]):
    """`git check-ref-format`."""

    name: str = Field("", description="The name to check, e.g. 'refs/heads/main'.")
    branch: Annotated[
        str | None, Flag("--branch", value="branchname-shorthand", apart=True, last=True, const=None, exact=True)
    ] = Field(None, description="A branch's name, or what stands for one ('@{-1}'), instead.")
    normalize: Annotated[bool, Flag("--normalize", "--print", walk=True)] = Field(
        False, description="Drop leading slashes and those that follow others; show the name."
    )
    onelevel: Annotated[
        bool, Flag("--allow-onelevel", walk=True), Flag("--no-allow-onelevel", const=False, walk=True)
    ] = Field(False, description="Names without a slash are good.")
    pattern: Annotated[bool, Flag("--refspec-pattern", walk=True)] = Field(
        False, description="One asterisk is allowed, as in a refspec."
    )


def _usage(word: str = "") -> GitError:
    return InvalidArgs(_USAGE, prefix="")


def bind(words: Positionals, values: dict[str, Any], store: Store | None, ctx: Context) -> None:
    """Bind one name after the options; or only `--branch` with one."""
    names = words.before
    if "branch" in values and len(values) == 1 and values["branch"] is not None and not names and not words.dashdash:
        return
    if "branch" in values or words.dashdash or len(names) != 1 or names[0].startswith("-"):
        raise _usage()
    values["name"] = names[0]


def run(store: Store, request: CheckRefFormatRequest, ctx: Context) -> tuple[bool, bytes]:
    """(whether the name is valid, the name). Raises BadRequest for an invalid branch name."""
    if request.branch is not None:
        return True, _branch(store, to_bytes(request.branch), ctx)
    name = to_bytes(request.name)
    if request.normalize:
        name = _SLASHES.sub(b"", name)
    good = check_refname(name, onelevel=request.onelevel, pattern=request.pattern)
    ctx.exit_status = 0 if good else 1
    return good, name


def _branch(store: Store, word: bytes, ctx: Context) -> bytes:
    """The branch that a shorthand stands for: one left before, or an upstream that is a branch itself."""
    name = _interpreted(store, word, ctx) if store.git_dir else word
    if name.startswith(b"-") or name == b"HEAD" or not check_refname(HEADS + name):
        raise BadRequest(f"'{text(word)}' is not a valid branch name")
    return name


def _interpreted(store: Store, word: bytes, ctx: Context) -> bytes:
    prior = prior_checkout(word)
    if prior is not None:
        left = prior_branch(store, prior[0])
        return word if left is None else left + word[prior[1] :]
    at = word.find(b"@")
    while at >= 0:
        mark = branch_mark(word, at)
        if mark is not None and b":" not in word[:at]:
            full = upstream(store, word[:at], push=mark[0], ctx=ctx)
            return full[len(HEADS) :] + word[at + mark[1] :] if full.startswith(HEADS) else word
        at = word.find(b"@", at + 1)
    return word


def collect(verdict: tuple[bool, bytes], request: CheckRefFormatRequest) -> CheckRefFormatResult:
    """The typed result."""
    return CheckRefFormatResult(valid=verdict[0], name=to_text(verdict[1]))


def render(verdict: tuple[bool, bytes], request: CheckRefFormatRequest, style: Style) -> Iterator[bytes]:
    """The name if it was requested; otherwise only the exit status answers."""
    if verdict[0] and (request.normalize or request.branch is not None):
        yield verdict[1] + b"\n"


COMMAND = Command(
    "check-ref-format",
    CheckRefFormatRequest,
    CheckRefFormatResult,
    run,
    collect,
    render,
    bind=bind,
    unknown=_usage,
    needs_repository=False,
    stop=True,
    summary="whether a name may be that of a ref",
    usage="[--normalize] [<options>] <refname>",
)
