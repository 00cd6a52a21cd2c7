"""The output of `git branch`: a ref format made from its options, and the words for a HEAD that is no branch.

Mirrors git-branch(1).
"""

from collections.abc import Sequence

from ...annotations import TYPE_CHECKING
from ...deferred import deferred
from ...limits import paced
from ...revs.ref_filter import DETACHED, REMOTES, RefItem
from ..color import Palette
from ..width import display_width
from .environment import RefEnv

if TYPE_CHECKING:
    from ...worktree.state import Operation
else:
    Operation = deferred(__name__, "...worktree.state", "Operation")


def head_label(state: Operation) -> bytes:
    """The text for a detached HEAD: `(HEAD detached at v1.0)`, `(no branch, rebasing topic)` …"""
    if (state.rebase or state.interactive) and state.branch is not None:
        return b"(no branch, rebasing %b)" % state.branch
    if state.rebase or state.interactive:
        return b"(no branch, rebasing detached HEAD %b)" % (state.detached_from or b"")
    if state.bisect:
        return b"(no branch, bisect started on %b)" % (state.bisect_from or b"(null)")
    if state.detached_from is not None:
        return (b"(HEAD detached at %b)" if state.detached_at else b"(HEAD detached from %b)") % state.detached_from
    return b"(no branch)"


def branch_format(
    items: Sequence[RefItem],
    fields: RefEnv,
    palette: Palette,
    verbose: int,
    abbrev: int | None,
    *,
    remotes_only: bool,
) -> bytes:
    """The format that git makes for these options; `items` decide the width of the names."""
    prefix = b"" if remotes_only else b"remotes/"
    reset = palette.branch_reset
    local = (
        b"%%(if)%%(HEAD)%%(then)* %b%%(else)%%(if)%%(worktreepath)%%(then)+ %b%%(else)  %b%%(end)%%(end)"
        % (palette.branch_current, palette.branch_worktree, palette.branch_local)
    )  # fmt: skip
    remote = b"  " + palette.branch_remote
    if verbose:
        width = _width(items, fields, len(prefix))
        name = b"%(objectname:short)" if abbrev is None else b"%%(objectname:short=%d)" % abbrev
        name = b"%(objectname)" if abbrev == 0 else name
        local += b"%%(align:%d,left)%%(refname:lstrip=2)%%(end)%b %b " % (width, reset, name)
        local += _tracking(palette) if verbose > 1 else b"%(if)%(upstream:track)%(then)%(upstream:track) %(end)"
        local += b"%(contents:subject)"
        remote += b"%%(align:%d,left)%b%%(refname:lstrip=2)%%(end)%b" % (width, prefix, reset)
        remote += b"%(if)%(symref)%(then) -> %(symref:short)%(else) " + name + b" %(contents:subject)%(end)"
    else:
        link = b"%(if)%(symref)%(then) -> %(symref:short)%(end)"
        local += b"%(refname:lstrip=2)" + reset + link
        remote += prefix + b"%(refname:lstrip=2)" + reset + link
    return b"%(if:notequals=refs/remotes)%(refname:rstrip=-2)%(then)" + local + b"%(else)" + remote + b"%(end)"


def plain_lines(items: Sequence[RefItem], fields: RefEnv, palette: Palette, *, remotes_only: bool) -> list[bytes]:
    """The lines of the format without -v, made directly: this is the most frequent list."""
    prefix = b"" if remotes_only else b"remotes/"
    current, local, checked_out = (
        mark + color
        for mark, color in (
            (b"* ", palette.branch_current), (b"  ", palette.branch_local), (b"+ ", palette.branch_worktree),
        )
    )  # fmt: skip
    remote, reset, head = b"  " + palette.branch_remote + prefix, palette.branch_reset, fields.head
    lines: list[bytes] = []
    for item in paced(items):
        link = b"" if item.target is None else b" -> " + fields.short(item.target)
        if item.kind == REMOTES:
            lines.append(remote + item.name[13:] + reset + link)
        elif item.kind == DETACHED:
            name = fields.head_label() if fields.head_label is not None else item.name
            lines.append(current + name + reset + link)
        else:
            front = current if item.name == head else checked_out if fields.worktree_path(item) else local
            lines.append(front + item.name[11:] + reset + link)
    return lines


def _tracking(palette: Palette) -> bytes:
    """-vv: the work tree of a branch checked out elsewhere, and the upstream with the numbers of commits ahead and
    behind."""
    return (
        b"%%(if:notequals=*)%%(HEAD)%%(then)%%(if)%%(worktreepath)%%(then)(%b%%(worktreepath)%b) %%(end)%%(end)"
        b"%%(if)%%(upstream)%%(then)[%b%%(upstream:short)%b%%(if)%%(upstream:track)"
        b"%%(then): %%(upstream:track,nobracket)%%(end)] %%(end)"
        % (palette.branch_worktree, palette.branch_reset, palette.branch_upstream, palette.branch_reset)
    )


def _width(items: Sequence[RefItem], fields: RefEnv, bonus: int) -> int:
    """The width of the widest name as printed."""
    widest = 0
    for item in paced(items):
        if item.kind == DETACHED:
            name = fields.head_label() if fields.head_label is not None else item.name
        else:
            name = item.name.split(b"/", 2)[-1]
        width = display_width(name) + (bonus if item.kind == REMOTES else 0)
        widest = max(widest, width)
    return widest
