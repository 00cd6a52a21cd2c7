"""The diff options of git rev-list: parsed and checked, without an effect.

git parses every option of a walk and of a diff for rev-list as it does for git log. After that, rev-list rejects
options that request a diff, with its usage; options that only change the look of a diff have no effect. So `-M` is
accepted and `-p` is not; `-s` requests no diff either, but does not cancel a `-p`. `-m` does have an effect: as in git
log it makes the history of paths a full one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..annotations import Annotated
from ..errors import BadRequest, InvalidArgs, NotFound
from ..limits import Context
from ..repo.store import Store
from ..request.declared import Declared, Field
from ..request.diff import DiffOptions
from ..request.flag import Flag
from ..revs.resolve import try_resolve
from .diff import diff_spec


class Unused(DiffOptions):
    """Options that git rev-list accepts and does not use."""

    root: Annotated[bool, Flag("--root", walk=True)] = False
    follow: Annotated[bool, Flag("--follow", no=True, exact=True)] = False
    signature: Annotated[bool, Flag("--no-show-signature", walk=True)] = False
    commit_id: Annotated[bool, Flag("--no-commit-id", "--always", walk=True)] = False
    encoded: Annotated[bool, Flag("--encode-email-headers", "--no-encode-email-headers", walk=True)] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """The values of a request that follow from the options. Raises GitError if git rejects the options."""
        meant = self.checked(store, paths, ctx=ctx)
        if self._wants_diff():
            raise InvalidArgs(usage, prefix="")
        return meant

    def checked(self, store: Store, paths: Sequence[str], *, ctx: Context) -> dict[str, object]:
        """The same for a command in which a requested diff has no effect either."""
        objects = named_objects(store, self.find_object, ctx=ctx)
        spec = diff_spec(self, store.config, ctx=ctx, prefix=store.prefix, objects=objects, porcelain=False)
        if self.combined_all_paths and spec.merges not in ("combined", "dense"):
            raise BadRequest("--combined-all-paths makes no sense without -c or --cc")
        if self.follow and len(paths) != 1:
            raise BadRequest("--follow requires exactly one pathspec")
        separate = spec.merges_explicit and spec.merges in ("separate", "first-parent", "remerge")
        return {"full_history": True} if separate else {}

    def _wants_diff(self) -> bool:
        """Whether a diff was requested: by a format, a search in diffs, or by options for trees and merges."""
        shown = self.model_copy(update={"no_patch": False, "quiet": False})
        return bool(
            shown.names_format
            or self.context is not None
            or self.merges_imply_patch
            or self.recursive
            or self.follow
            or self.pickaxe is not None
            or self.pickaxe_grep is not None
            or self.find_object
            or any(letter.isupper() or letter == "*" for letter in "".join(self.diff_filter))
        )


class UnusedDiff(Unused):
    """The same for git shortlog, which accepts a requested diff."""

    objects: Annotated[
        bool,
        Flag("--objects", "--objects-edge", "--objects-edge-aggressive", "--verify-objects", walk=True),
        Flag("--count", "--in-commit-order", "--graph", "--no-graph", "-v", walk=True),
    ] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """The values of a request that follow from the options. Raises GitError if git rejects the options."""
        return self.checked(store, paths, ctx=ctx)


class IdleWalk(Declared):
    """Walk options that git accepts for a comparison without commits, and that have no effect there."""

    idle: Annotated[
        bool,
        Flag("--first-parent", "--in-commit-order", "--no-commit-id", walk=True),
        Flag("--no-follow", exact=True, negation=True),
    ] = Field(False, description="Nothing: there is no history here.")


def named_objects(store: Store, names: Sequence[str], *, ctx: Context) -> frozenset[bytes]:
    """The objects that --find-object names. Raises NotFound."""
    objects = set()
    for name in names:
        oid = try_resolve(store, name, ctx=ctx)
        if oid is None:
            raise NotFound(f"unable to resolve '{name}'", status=129, prefix="error")
        objects.add(oid)
    return frozenset(objects)
