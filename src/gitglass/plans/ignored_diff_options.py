"""The options of a diff as git rev-list has them: parsed and checked, without an effect.

git's parser takes every option of a walk and of a diff for rev-list as it does for git log. Behind it rev-list refuses
what asks for a diff, with its usage; what only says how a diff would look changes nothing. So `-M` is taken and `-p`
is not; `-s` is no diff either, but does not take back a `-p`. `-m` counts all the same: as in git log it makes the
history of paths a full one.
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
    """Options that git rev-list takes and has no use for."""

    root: Annotated[bool, Flag("--root", walk=True)] = False
    follow: Annotated[bool, Flag("--follow", exact=True), Flag("--no-follow", const=False, exact=True)] = False
    signature: Annotated[bool, Flag("--no-show-signature", walk=True)] = False
    commit_id: Annotated[bool, Flag("--no-commit-id", "--always", walk=True)] = False
    encoded: Annotated[bool, Flag("--encode-email-headers", "--no-encode-email-headers", walk=True)] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """What the options come to, as values of a request. Raises GitError where git dies of them."""
        meant = self.checked(store, paths, ctx=ctx)
        if self._wants_diff():
            raise InvalidArgs(usage, prefix="")
        return meant

    def checked(self, store: Store, paths: Sequence[str], *, ctx: Context) -> dict[str, object]:
        """The same where a diff that is asked for changes nothing either."""
        objects = named_objects(store, self.find_object, ctx=ctx)
        spec = diff_spec(self, store.config, ctx=ctx, prefix=store.prefix, objects=objects, porcelain=False)
        if self.combined_all_paths and spec.merges not in ("combined", "dense"):
            raise BadRequest("--combined-all-paths makes no sense without -c or --cc")
        if self.follow and len(paths) != 1:
            raise BadRequest("--follow requires exactly one pathspec")
        separate = spec.merges_explicit and spec.merges in ("separate", "first-parent", "remerge")
        return {"full_history": True} if separate else {}

    def _wants_diff(self) -> bool:
        """Whether a diff was asked for: by a format, a search in diffs, or how trees and merges are shown."""
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
    """The same for git shortlog, which a diff that is asked for does not stop."""

    objects: Annotated[
        bool,
        Flag("--objects", "--objects-edge", "--objects-edge-aggressive", "--verify-objects", walk=True),
        Flag("--count", "--in-commit-order", "--graph", "--no-graph", "-v", walk=True),
    ] = False

    def judge(self, store: Store, paths: Sequence[str], usage: str, *, ctx: Context) -> dict[str, object]:
        """What the options come to, as values of a request. Raises GitError where git dies of them."""
        return self.checked(store, paths, ctx=ctx)


class IdleWalk(Declared):
    """Options of a walk that git takes for a comparison without commits, where they change nothing."""

    idle: Annotated[bool, Flag("--first-parent", "--in-commit-order", "--no-commit-id", "--no-follow", walk=True)] = (
        Field(False, description="Nothing: there is no history here.")
    )


def named_objects(store: Store, names: Sequence[str], *, ctx: Context) -> frozenset[bytes]:
    """What --find-object names. Raises NotFound."""
    objects = set()
    for name in names:
        oid = try_resolve(store, name, ctx=ctx)
        if oid is None:
            raise NotFound(f"unable to resolve '{name}'", status=129, prefix="error")
        objects.add(oid)
    return frozenset(objects)
