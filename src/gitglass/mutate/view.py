"""What a planner sees: the repository as it is, the host's grant, one moment, and room for objects to be.

Planning changes nothing: it reads through the same engines as every question, on a store of its own in which the new
objects are found like any other. It runs nothing but filters and merge drivers that the host granted by value, where
what they make has to be known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..config.config import Config
from ..deferred import deferred
from ..disk.jail import Jail
from ..disk.watched import Watch
from ..errors import BadRequest, CommandFailed, NotFound, NoWorkTree, Unsupported, text
from ..index.index import Index
from ..limits import LARGE, Context
from ..objects.database import Odb
from ..objects.idents import need_person
from ..paths.pathspec import PathspecSpec
from ..records import lazy
from ..repo.store import Store
from ..repo.utf8 import WARNING, conforming
from ..revs.dates import strict_date
from ..worktree.stat_cache import Looker, current_index
from .changes import ABSENT, NewPack, RefChange
from .grant import Identity, Moment, WriteGrant
from .objects import NewObjects
from .process.filters import convert_for
from .process.granted import GrantedHooks, ProgramUse
from .process.services import Outcomes, Services
from .ref_files import backend_is_files

if TYPE_CHECKING:
    from ..paths.ignore import PatternList
    from .checkout.sparse import sparse_patterns
    from .process.hooks import Hooks
    from .process.signing import Signing
else:
    sparse_patterns = deferred(__name__, ".checkout.sparse", "sparse_patterns")
    Hooks = deferred(__name__, ".process.hooks", "Hooks")
    Signing = deferred(__name__, ".process.signing", "Signing")

_MOST_LINKS = 5


class PlanningStore(Store):
    """A store in which the objects of a plan are found beside those of the repository."""

    new: NewObjects

    @classmethod
    def over(cls, store: Store, new: NewObjects, jail: Jail) -> PlanningStore:
        """One over the files of another store, read through a jail of its own."""
        made = cls(
            store.where, store.layout if store.exists else None, jail, root=store._root,
            config=store._config_options, limits=store.limits,
        )  # fmt: skip
        made.refresh()  # a handle that lives on remembers the HEAD of its first question
        made.new = new
        made.replace, made.confined, made.pathspecs = store.replace, store.confined, store.pathspecs
        return made

    @lazy
    def odb(self) -> Odb:
        """The object database, with the new objects as its last source."""
        plain: Odb = Store.odb._make(self)
        plain._given = (self.new,)
        return plain


class View:
    """One repository, seen by one planner."""

    def __init__(
        self,
        store: Store,
        grant: WriteGrant,
        moment: Moment,
        ctx: Context,
        exchange: dict[object, Any] | None = None,
        outcomes: Outcomes | None = None,
    ) -> None:
        """`exchange` is what other repositories answered when the plan was first made, `outcomes` what programs did:
        neither are asked again."""
        self.grant, self.moment, self.ctx = grant, moment, ctx
        self.new = NewObjects(store.hash_name)
        self.reads = Watch(store.jail)
        self.store: Store = PlanningStore.over(store, self.new, self.reads.jail())
        self.notes: list[str] = []
        self.packs: list[NewPack] = []  # of new objects, beside those that are held one by one
        self.exchange: dict[object, Any] = {} if exchange is None else exchange
        self.services = Services(grant.programs, store, outcomes or Outcomes(), ctx)
        convert_for(self.store, self.services)
        #: how words are read as pathspecs; kept here, as a question of ours to the reader has settings of its own
        self.reading = PathspecSpec.of(store.pathspecs)
        if self.services.has_drivers:
            self.store.merge_driver = self.services.merged
        self.hooks: Hooks | None = None
        if isinstance(grant.hooks, GrantedHooks):
            self.hooks = Hooks(self.store, grant.hooks, outcomes or Outcomes())
        self.signing: Signing | None = None
        if grant.programs.signer is not None:
            self.signing = Signing(grant.programs.signer, self.store, outcomes or Outcomes())
        self.nobody: tuple[bytes, bytes] | None = None  # who it is where the settings name nobody
        self.outward: Store | None = None  # by whose attributes files are checked out; None: those of the work tree
        self.outward_of: dict[bytes, Store] = {}  # path → by whose attributes it is, where they are others
        #: files that are what is wanted of them already: path → mode and blob, and status
        self.as_wanted: dict[bytes, tuple[int, bytes, os.stat_result]] = {}
        self.present: set[bytes] = set()  # paths that are to be in the work tree, whatever a sparse checkout holds

    @property
    def config(self) -> Config:
        """The settings."""
        return self.store.config

    @property
    def odb(self) -> Odb:
        """Objects, planned ones too."""
        return self.store.odb

    def has_all(self, oids: Iterable[bytes]) -> bool:
        """Whether the repository itself has these objects already."""
        plain: Odb = Store.odb._make(self.store)
        return all(plain.has(oid) for oid in oids)

    def git_file(self, name: bytes) -> bytes | None:
        """A file of the git directory, as it is; None where there is none."""
        return self.store.jail.read_optional(self.store.git_path(name))

    @lazy
    def index(self) -> Index:
        """The index, sparse directories filled in."""
        return current_index(self.store)

    @lazy
    def sparse(self) -> PatternList | None:
        """The patterns of a sparse checkout; None where all files are in the work tree."""
        return sparse_patterns(self.store)

    @lazy
    def looker(self) -> Looker:
        """What compares files with the index."""
        return Looker(self.store, self.ctx)

    def need_work_tree(self) -> None:
        """Raise NoWorkTree in a bare repository."""
        if self.store.work_tree is None:
            raise NoWorkTree("this operation must be run in a work tree")

    def need_files(self) -> None:
        """Raise Unsupported where refs are not kept as files."""
        if not backend_is_files(self.store):
            raise Unsupported("gitglass does not write reftable repositories", extension="refStorage")

    # --- programs ---------------------------------------------------------------------------------------------------

    @property
    def uses(self) -> tuple[ProgramUse, ...]:
        """The programs that the plan runs, or has had run."""
        hooks = [] if self.hooks is None else self.hooks.uses
        return (*self.services.uses, *hooks, *([] if self.signing is None else self.signing.uses))

    def signs(self, asked: bool, setting: str) -> bool:
        """Whether a new object is signed: where the request asks for it, or a setting does. Raises Unsupported where no
        signer is granted."""
        if not asked and not self.config.get_bool(setting, False):
            return False
        if self.signing is None:
            raise Unsupported(
                f"{'a signature is asked for' if asked else f'{setting} is set'}, and no signer is granted",
                hint="A host may grant the signer and its key (Programs.signer).",
                option=setting,
            )
        return True

    def new_object(self, kind: bytes, content: bytes, *, signed: bool) -> bytes:
        """The name of a new commit or tag, which is signed when the plan is carried out."""
        if signed and self.signing is not None:
            content = self.signing.signed(kind, content)
        if len(content) >= LARGE:
            self.ctx.keep(len(content))
        return self.new.add(kind, content)

    @property
    def writes_utf8(self) -> bool:
        """Whether commits are written in UTF-8 (i18n.commitEncoding)."""
        return (self.config.get("i18n.commitencoding") or b"utf-8").lower() in (b"utf-8", b"utf8")

    def new_commit(self, content: bytes, *, signed: bool = False) -> bytes:
        """The name of a new commit, in UTF-8 where commits are; git's warning is said where that changes it."""
        whole = conforming(content) if self.writes_utf8 else content
        if whole != content:
            self.ctx.say(WARNING)
        return self.new_object(b"commit", whole, signed=signed)

    # --- people and dates -------------------------------------------------------------------------------------------

    def person(self, who: str) -> tuple[bytes, bytes]:
        """(name, address) of the "author" or "committer": the host's, else the repository's settings. Raises
        NotFound."""
        given: Identity | None = self.grant.identity
        if who == "committer" and self.grant.committer is not None:
            given = self.grant.committer
        if given is not None:
            return given.name.strip().encode("utf-8", "surrogateescape"), given.email.encode("utf-8", "surrogateescape")
        try:
            return need_person(self.config, who, self.store.where.people)
        except NotFound:
            if self.nobody is None:
                raise
            return self.nobody

    def ident(self, who: str = "committer") -> bytes:
        """`Name <mail> seconds zone` of this plan."""
        name, mail = self.person(who)
        return b"%b <%b> %b" % (name, mail, self.date(who))

    def date(self, who: str) -> bytes:
        """When the "author" or "committer" does it: this plan's moment, unless git's variables say another
        (git-commit(1), "Date formats"). Raises BadRequest for one that is no whole date."""
        return self.when(who).words()

    def when(self, who: str) -> Moment:
        """The same as a moment."""
        given = self.store.where.people.get(f"{who}.date")
        if not given:
            return self.moment
        date = strict_date(given, self.moment.seconds)
        if date is None:
            raise BadRequest(f"invalid date format: {text(given)}")
        return Moment(*date)

    # --- refs -------------------------------------------------------------------------------------------------------

    def head(self) -> tuple[bytes | None, bytes | None]:
        """(full name of the current branch, its commit): no name when detached, no commit when unborn."""
        return self.store.refs.head()

    def ref(self, name: bytes) -> tuple[bytes, bool]:
        """(what a ref says itself, whether that is another name); ABSENT for none. Raises BadRequest for a broken
        one."""
        raw = self.store.refs.backend.raw(name)
        if raw is None:
            return ABSENT, False
        if raw.target is not None:
            return raw.target, True
        if raw.oid is None:
            raise BadRequest(f"cannot lock ref '{text(name)}': unable to resolve reference '{text(name)}'")
        return raw.oid, False

    def links(self, name: bytes) -> list[bytes]:
        """The symbolic refs on the way from a name to the ref that it stands for. Raises CommandFailed."""
        names: list[bytes] = []
        while len(names) <= _MOST_LINKS:
            value, symbolic = self.ref(name)
            if not symbolic:
                return names
            names.append(name)
            name = value
        words = f"cannot lock ref '{text(name)}': unable to resolve reference '{text(name)}'"
        raise CommandFailed(f"{words}: Too many levels of symbolic links", status=128, prefix="fatal")

    def move_ref(self, name: bytes, after: bytes) -> RefChange:
        """The change that makes a ref name an object (ABSENT: that deletes it). Raises NotGranted."""
        before, symbolic = self.ref(name)
        self.grant.need_ref(text(name))
        return RefChange(name, before, after, was_symbolic=symbolic)

    def move_head(self, branch: bytes | None, commit: bytes, *, anew: bool = False) -> list[RefChange]:
        """The change that puts HEAD on a branch, or on a commit where there is none; nothing where it is there. With
        `anew` it was elsewhere on the way: then it is written where that gives it the permissions of a repository that
        is shared. Raises NotGranted."""
        before, was_symbolic = self.ref(b"HEAD")
        after, symbolic = (commit, False) if branch is None else (branch, True)
        shared = anew and self.config.get("core.sharedrepository") is not None
        if (before, was_symbolic) == (after, symbolic) and not shared:
            return []
        self.grant.need_ref("HEAD")
        return [RefChange(b"HEAD", before, after, symbolic=symbolic, was_symbolic=was_symbolic)]
