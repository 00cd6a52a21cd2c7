"""git rev-parse's own processing of a command line: each word is echoed, looked up or executed, in order.

Its options depend on the words before them (`--not` inverts later revisions, `--symbolic` changes how later names are
shown, `--default` waits for the first output), so there is no request to parse them into: the words themselves are the
request, and this machine goes through them once. git-rev-parse(1).
"""

from collections.abc import Callable, Iterator, Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..errors import BadRequest, GitError, NotFound, NoWorkTree, text
from ..limits import Context, paced
from ..paths.wildmatch import is_glob, wildmatch
from ..repo.discover import discover, resolve_git_dir
from ..repo.store import Store
from .abbrev import MINIMUM, Abbreviator
from .dates import approxidate
from .errors import bad_revision
from .exclusions import Exclusions
from .grammar import is_hex, parse_parents, parse_range
from .names import abbreviate_ref, warns_of_ambiguity
from .path_errors import die_argument, is_there
from .resolve import Resolver
from .shown_paths import Whereabouts, superproject
from .tips import glob_of, refs_below

if TYPE_CHECKING:
    from ..graph.merge_base import merge_bases
else:
    merge_bases = deferred(__name__, "..graph.merge_base", "merge_bases")


LOCAL_VARIABLES = (
    b"GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_OBJECT_DIRECTORY GIT_DIR "
    b"GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE "
    b"GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_SHALLOW_FILE GIT_COMMON_DIR"
).split()

#: options that git passes on to a revision walk; those that end in "=" also match as a prefix
_OF_REVISIONS = [
    "--all", "--bisect", "--dense", "--branches", "--branches=", "--header", "--ignore-missing", "--max-age=",
    "--max-count=", "--min-age=", "--no-merges", "--min-parents=", "--no-min-parents", "--max-parents=",
    "--no-max-parents", "--objects", "--objects-edge", "--parents", "--pretty", "--remotes", "--remotes=",
    "--glob=", "--sparse", "--tags", "--tags=", "--topo-order", "--date-order", "--unpacked",
]  # fmt: skip
_FAMILIES = {"branches": b"refs/heads/", "tags": b"refs/tags/", "remotes": b"refs/remotes/"}
_WITHOUT_REPOSITORY = (b"--local-env-vars", b"--resolve-git-dir")


def quote_for_shell(word: bytes) -> bytes:
    """A word in single quotes, in the format of `--sq-quote` (`--sq` does not quote the !)."""
    return b"'" + word.replace(b"'", b"'\\''").replace(b"!", b"'\\!'") + b"'"


def parse_arguments(
    store: Store, args: Sequence[str], *, judge: Callable[[], None] | None = None, ctx: Context
) -> Iterator[bytes]:
    """The output of `git rev-parse ARGS`. Output before an error comes before it is raised. `judge` is called when the
    first word needs the repository: git reads its settings then."""
    machine = _Machine(store, [arg.encode("utf-8", "surrogateescape") for arg in args], ctx)
    machine.judge = judge
    prefix = store.prefix
    try:
        machine.run()
    except GitError:
        yield b"".join(machine.out)
        raise
    finally:
        if store.prefix != prefix:  # if --prefix was among the words
            store.prefix = prefix
            store.per_call.clear()
    yield b"".join(machine.out)


class _Machine:
    """The state between two words."""

    __slots__ = (
        "_abbrev",
        "_abbrev_ref",
        "_args",
        "_at",
        "_ctx",
        "_default",
        "_ended",
        "_excluded",
        "_flags",
        "_form",
        "_nonflags",
        "_norev",
        "_plain",
        "_prefix",
        "_quiet",
        "_quoted",
        "_ready",
        "_resolver",
        "_reversed",
        "_revs",
        "_single",
        "_store",
        "_symbolic",
        "_verify",
        "_where",
        "judge",
        "out",
    )

    def __init__(self, store: Store, args: list[bytes], ctx: Context) -> None:
        self.out: list[bytes] = []
        self._store = store
        self._args = args
        self._ctx = ctx
        self._at = 0
        self._resolver = Resolver(store, ctx=ctx)
        self._where: Whereabouts | None = None
        self._flags = self._nonflags = self._revs = self._norev = True  # which kinds of words are printed
        self._verify = self._quiet = self._quoted = self._reversed = False
        self._symbolic = self._abbrev_ref = self._form = ""
        self._abbrev: Abbreviator | None = None
        self._default: bytes | None = None
        self._prefix: bytes | None = None
        self._excluded = Exclusions(store)
        self._ready = False  # the repository was searched for
        self.judge: Callable[[], None] | None = None
        self._ended = False  # --end-of-options was seen
        self._plain = 0  # 1: only paths follow, 2: the same, behind "--"
        self._single: list[tuple[bytes, bytes, bool]] = []

    def run(self) -> None:
        """Process all words, then the remaining parts of `--verify` and `--default`."""
        args = self._args
        if args[:1] == [b"--sq-quote"]:
            self.out.append(b"".join(b" " + quote_for_shell(word) for word in args[1:]) + b"\n")
            return
        while self._at < len(args):
            self._ctx.tick()
            word = args[self._at]
            self._at += 1
            if not self._ready and word not in _WITHOUT_REPOSITORY:
                self._need_repository()
            if self._plain:
                if self._file(word) and self._plain < 2:
                    self._must_be_file(word)
            elif word == b"--" or (word.startswith(b"-") and not self._ended):
                self._option(word)
            else:
                self._argument(word)
        self._finish()

    def _need_repository(self) -> None:
        """Search the repository, as git does for the first word that needs it. Raises NotARepository."""
        if not self._store.exists:
            discover(self._store.where, jail=self._store.jail)
        if self.judge is not None:
            self.judge()
        self._ready = True

    def _finish(self) -> None:
        if not self._ready and self._args[:1] not in ([word] for word in _WITHOUT_REPOSITORY):
            self._need_repository()
        if not self._verify:
            self._show_default()
        elif len(self._single) == 1:
            oid, name, turned = self._single[0]
            self._rev(oid, name, turned)
        elif self._single or not self._show_default():
            raise self._needs_one()

    def _needs_one(self) -> GitError:
        return NotFound("", status=1) if self._quiet else NotFound("Needed a single revision")

    # ------------------------------------------------------------------------------------------------- printing

    def _show(self, line: bytes) -> None:
        self.out.append(b"'" + line.replace(b"'", b"'\\''") + b"' " if self._quoted else line + b"\n")

    def _say(self, line: bytes) -> None:
        self.out.append(line + b"\n")

    def _rev(self, oid: bytes, name: bytes | None, turned: bool = False) -> None:
        """One revision, in the current output form; `turned`: with a ^ (or without, after --not)."""
        if not self._revs:
            return
        self._default = None
        if name is not None and (self._symbolic == "full" or self._abbrev_ref):
            self._by_name(name, turned)
        elif name is not None and self._symbolic:
            self._typed(name, turned)
        elif self._abbrev is not None:
            self._typed(self._abbrev(oid), turned)
        else:
            self._typed(oid.hex().encode(), turned)

    def _typed(self, line: bytes, turned: bool) -> None:
        if turned != self._reversed:
            self.out.append(b"^")
        self._show(line)

    def _by_name(self, name: bytes, turned: bool) -> None:
        rows = self._resolver.refs_of(name)
        if len(rows) > 1:
            self._ctx.say(b"error: refname '" + name + b"' is ambiguous\n")
        elif rows:
            full = rows[0][0]
            if self._abbrev_ref:
                full = abbreviate_ref(self._store, full, strict=self._abbrev_ref == "strict")
            self._typed(full, turned)

    def _file(self, word: bytes, *, path: bool = True) -> bool:
        self._show_default()
        if not (self._nonflags and self._norev):
            return False
        below = path and self._prefix is not None and not word.startswith(b"/")
        self._show((self._prefix or b"") + word if below else word)
        return True

    def _show_default(self) -> bool:
        name, self._default = self._default, None
        if name is None:
            return False
        resolved = self._resolver.find(name)
        if resolved is None:
            return False
        self._rev(resolved.oid, name)
        return True

    # ------------------------------------------------------------------------------------------------ arguments

    def _argument(self, word: bytes) -> None:
        if b"." in word and self._range(word):
            return
        if b"^" in word and self._parents(word):
            return
        turned = word.startswith(b"^")
        name = word[1:] if turned else word
        resolved = self._resolver.find(name)
        if resolved is not None:
            if self._verify:
                self._single.append((resolved.oid, name, turned))
            else:
                self._rev(resolved.oid, name, turned)
            return
        if self._verify:
            raise self._needs_one()
        if b"--" in self._args:
            raise bad_revision(self._store, word, ctx=self._ctx)
        self._plain = 1
        if self._file(word):
            self._must_be_file(word, first=True)

    def _range(self, word: bytes) -> bool:
        span = parse_range(word)
        if span is None:
            return False
        resolver = Resolver(self._store, ctx=self._ctx, want="committish", quiet=self._quiet)
        left = resolver.find(span.left)
        right = None if left is None else resolver.find(span.right)
        if left is None or right is None:
            return False
        self._rev(right.oid, span.right)
        self._rev(left.oid, span.left, not span.symmetric)
        if span.symmetric:
            one, other = resolver.commit_of(left.oid), resolver.commit_of(right.oid)
            if one is None or other is None:
                return False
            for base in merge_bases(self._store, one, [other], ctx=self._ctx):
                self._rev(base, None, True)
        return True

    def _parents(self, word: bytes) -> bool:
        parents = parse_parents(word)
        if parents is None:
            return False
        resolver = Resolver(self._store, ctx=self._ctx, want="committish", quiet=self._quiet)
        resolved = resolver.find(parents.rev)
        commit = None if resolved is None else resolver.commit_of(resolved.oid)
        if resolved is None or commit is None:
            return False
        listed = self._store.odb.commit_facts(commit)[0]
        if parents.number > len(listed):
            return False
        if parents.op != b"@":
            self._rev(resolved.oid, parents.rev)
        for number, oid in enumerate(listed, 1):
            if not parents.number or number == parents.number:
                name = b"%b^%d" % (parents.rev, number) if self._symbolic else None
                self._rev(oid, name, parents.op != b"@")
        return True

    def _must_be_file(self, word: bytes, first: bool = False) -> None:
        if word.startswith(b"-"):
            raise BadRequest(f"option '{text(word)}' must come before non-option arguments")
        if self._is_file(word):
            return
        if first:
            raise die_argument(self._store, word, ctx=self._ctx)
        raise NotFound(
            f"{text(word)}: no such path in the working tree.\n"
            "Use 'git <command> -- <path>...' to specify paths that do not exist locally."
        )

    def _is_file(self, word: bytes) -> bool:
        """Whether git takes the word for a path: there is such a file, or it has wildcards or long magic."""
        if word.startswith(b":(") or is_glob(word):
            return True
        if not word and not (self._prefix or self._store.prefix):
            return False
        if word.startswith(b":/"):
            word = word[2:].lstrip(b"/")
            base = self._store.work_tree or self._store.cwd
        else:
            word = word[2:] if word.startswith((b":!", b":^")) else word
            base = self._store.cwd
            if self._prefix is not None and not word.startswith(b"/"):
                word, base = self._prefix + word, self._places().top
        try:
            return is_there(self._store.jail, base, word)
        except GitError:
            return False

    # -------------------------------------------------------------------------------------------------- options

    def _option(self, word: bytes) -> None:
        shown = text(word)
        name, equals, value = shown.partition("=")
        if word == b"--":
            self._plain = 2
            if self._flags or self._revs:
                self._file(word, path=False)
            return
        if shown == "--end-of-options":
            self._ended = True
            if self._flags or self._revs:
                self._file(word, path=False)
            return
        if shown in _SWITCHES:
            _SWITCHES[shown](self)
        elif equals and name in _VALUES:
            _VALUES[name](self, value.encode("utf-8", "surrogateescape"))
        elif word.startswith(b"-n"):
            self._count(word)
        elif self._flag(shown, word) and self._verify:
            raise self._needs_one()

    def _flag(self, shown: str, word: bytes) -> bool:
        if not self._flags or not (self._revs if _is_of_revisions(shown) else self._norev):
            return False
        self._show(word)
        return True

    def _count(self, word: bytes) -> None:
        passed = self._flags and self._revs
        if word == b"-n":
            number = self._next("-n requires an argument")
            if passed:
                self._show(word)
                self._show(number)
        elif passed:
            self._show(word)

    def _next(self, complaint: str) -> bytes:
        if self._at >= len(self._args):
            raise BadRequest(complaint)
        self._at += 1
        return self._args[self._at - 1]

    def _only(self, *, flags: bool = True, nonflags: bool = True, revs: bool = True, norev: bool = True) -> None:
        self._flags &= flags
        self._nonflags &= nonflags
        self._revs &= revs
        self._norev &= norev

    def _start_verify(self) -> None:
        self._only(flags=False, norev=False)
        self._verify = True

    def _be_quiet(self) -> None:
        self._quiet = True
        self._resolver = Resolver(self._store, ctx=self._ctx, quiet=True)

    def _short(self, value: bytes | None = None) -> None:
        self._start_verify()
        length = None
        if value is not None:
            digits = value[: len(value) - len(value.lstrip(b"0123456789"))]
            length = min(max(int(digits[:9] or b"0"), MINIMUM), 40)  # git does not know the hash algorithm yet here
        self._abbrev = Abbreviator(self._store, length)

    def _abbrev_ref_mode(self, value: bytes | None = None) -> None:
        if value is None:
            self._abbrev_ref = "strict" if warns_of_ambiguity(self._store) else "loose"
        elif value in (b"strict", b"loose"):
            self._abbrev_ref = value.decode()
        else:
            raise BadRequest(f"unknown mode for --abbrev-ref: {text(value)}")

    def _set(self, field: str, value: object) -> None:
        setattr(self, field, value)

    def _turn(self) -> None:
        self._reversed = not self._reversed

    def _take_default(self) -> None:
        self._default = self._next("--default requires an argument")

    def _take_prefix(self) -> None:
        """`--prefix DIR/`: names are interpreted as if git had been started there; DIR is prepended unchanged."""
        self._prefix = self._store.prefix = self._next("--prefix requires an argument")
        self._store.per_call.clear()  # `HEAD:./x` has another meaning from here on
        self._where = None

    def _path_format(self, value: bytes | None = None) -> None:
        if value is None:
            raise BadRequest("--path-format requires an argument")
        if value not in (b"absolute", b"relative"):
            raise BadRequest(f"unknown argument to --path-format: {text(value)}")
        self._form = value.decode()

    def _date(self, option: bytes, value: bytes) -> None:
        """`--since=…` becomes `--max-age=…`; printed if both flags and revisions are."""
        if self._flags and self._revs:
            self._show(option + b"%d" % approxidate(value, self._ctx.now))

    # ---------------------------------------------------------------------------------------------------- refs

    def _refs(self, prefix: bytes, pattern: bytes | None = None, trim: int = 0) -> None:
        for name, oid in refs_below(self._store, prefix):
            self._ctx.tick()
            if pattern is None or wildmatch(pattern, name, 0):
                self._reference(name[trim:], name, oid)
        self._excluded.clear()

    def _reference(self, shown: bytes, name: bytes, oid: bytes) -> None:
        if not self._excluded.cover(shown, name):
            self._rev(oid, shown)

    def _all(self) -> None:
        self._refs(b"refs/")

    def _family(self, kind: str, pattern: bytes | None = None) -> None:
        try:
            self._excluded.check("--" + kind)
        except BadRequest as error:
            error.status = 255
            raise
        prefix = _FAMILIES[kind]
        self._refs(prefix, None if pattern is None else glob_of(prefix + pattern), len(prefix))

    def _glob(self, pattern: bytes) -> None:
        self._refs(b"refs/", glob_of(pattern if pattern.startswith(b"refs/") else b"refs/" + pattern))

    def _bisect(self) -> None:
        for name, oid in refs_below(self._store, b"refs/bisect/bad"):
            self._reference(name, name, oid)
        for name, oid in refs_below(self._store, b"refs/bisect/good"):
            self._rev(oid, name, True)

    def _disambiguate(self, digits: bytes) -> None:
        if len(digits) < MINIMUM or not is_hex(digits):
            return
        for oid in paced(self._store.odb.names.beginning(digits.decode().lower())):
            self._rev(oid, None)

    # ------------------------------------------------------------------------------------------------- whereabouts

    def _places(self) -> Whereabouts:
        if self._where is None:
            self._where = Whereabouts(self._store)
        return self._where

    def _path(self, path: bytes, default: str) -> None:
        self._say(self._places().show(path, self._form, default))

    def _toplevel(self) -> None:
        top = self._store.work_tree or self._store.layout.absent
        if top is None:
            raise NoWorkTree("this operation must be run in a work tree")
        self._path(top, "unmodified")

    def _cdup(self) -> None:
        up = self._places().cdup()
        if up is not None:
            self._say(up)

    def _git_dir(self) -> None:
        where = self._places()
        if where.git_dir == b".git" and (where.prefix or self._prefix is not None):
            self._path(self._store.git_dir, "canonical")
        else:
            self._path(where.git_dir, "unmodified")

    def _git_path(self) -> None:
        name = self._next("--git-path requires an argument")
        self._path(self._places().git_path(name), "shared")

    def _resolve_git_dir(self) -> None:
        word = self._next("--resolve-git-dir requires an argument")
        base = self._places().top if self._ready else self._store.cwd
        git_dir = resolve_git_dir(word, base, self._store.jail)
        if git_dir is None:
            raise NotFound(f"not a gitdir '{text(word)}'")
        self._say(git_dir)

    def _shared_index(self) -> None:
        base = self._store.index.base
        if base:
            self._path(self._places().git_path(b"sharedindex." + base.hex().encode()), "shared")

    def _superproject(self) -> None:
        outer = superproject(self._store)
        if outer is not None:
            self._path(outer, "unmodified")

    def _truth(self, value: bool) -> None:
        self._say(b"true" if value else b"false")

    def _format(self, value: bytes = b"storage") -> None:
        if value not in (b"storage", b"input", b"output"):
            raise BadRequest(f"unknown mode for --show-object-format: {text(value)}")
        self._say(self._store.hash_name.encode())

    def _variables(self) -> None:
        for name in LOCAL_VARIABLES:
            self._say(name)


def _is_of_revisions(option: str) -> bool:
    if option[1:2].isdigit():
        return True
    return any(option == name or (name[-1] == "=" and option.startswith(name)) for name in _OF_REVISIONS)


_SWITCHES: dict[str, Callable[[_Machine], None]] = {
    "--default": _Machine._take_default,
    "--prefix": _Machine._take_prefix,
    "--revs-only": lambda m: m._only(norev=False),
    "--no-revs": lambda m: m._only(revs=False),
    "--flags": lambda m: m._only(nonflags=False),
    "--no-flags": lambda m: m._only(flags=False),
    "--verify": _Machine._start_verify,
    "--quiet": _Machine._be_quiet,
    "-q": _Machine._be_quiet,
    "--short": _Machine._short,
    "--sq": lambda m: m._set("_quoted", True),
    "--not": _Machine._turn,
    "--symbolic": lambda m: m._set("_symbolic", "as is"),
    "--symbolic-full-name": lambda m: m._set("_symbolic", "full"),
    "--abbrev-ref": _Machine._abbrev_ref_mode,
    "--all": _Machine._all,
    "--branches": lambda m: m._family("branches"),
    "--tags": lambda m: m._family("tags"),
    "--remotes": lambda m: m._family("remotes"),
    "--bisect": _Machine._bisect,
    "--show-toplevel": _Machine._toplevel,
    "--show-superproject-working-tree": _Machine._superproject,
    "--show-prefix": lambda m: m._say(m._places().prefix),
    "--show-cdup": _Machine._cdup,
    "--git-dir": _Machine._git_dir,
    "--path-format": _Machine._path_format,
    "--absolute-git-dir": lambda m: m._say(m._store.git_dir),
    "--git-common-dir": lambda m: m._path(m._places().common_dir, "shared"),
    "--git-path": _Machine._git_path,
    "--resolve-git-dir": _Machine._resolve_git_dir,
    "--shared-index-path": _Machine._shared_index,
    "--is-inside-git-dir": lambda m: m._truth(m._places().inside_git_dir()),
    "--is-inside-work-tree": lambda m: m._truth(m._places().inside_work_tree()),
    "--is-bare-repository": lambda m: m._truth(m._store.bare),
    "--is-shallow-repository": lambda m: m._truth(bool(m._store.shallow)),
    "--show-object-format": _Machine._format,
    "--local-env-vars": _Machine._variables,
}

_VALUES: dict[str, Callable[[_Machine, bytes], None]] = {
    "--short": _Machine._short,
    "--abbrev-ref": _Machine._abbrev_ref_mode,
    "--path-format": _Machine._path_format,
    "--disambiguate": _Machine._disambiguate,
    "--branches": lambda m, value: m._family("branches", value),
    "--tags": lambda m, value: m._family("tags", value),
    "--remotes": lambda m, value: m._family("remotes", value),
    "--glob": _Machine._glob,
    "--exclude": lambda m, value: m._excluded.add(value),
    "--exclude-hidden": lambda m, value: m._excluded.hide(value),
    "--since": lambda m, value: m._date(b"--max-age=", value),
    "--after": lambda m, value: m._date(b"--max-age=", value),
    "--before": lambda m, value: m._date(b"--min-age=", value),
    "--until": lambda m, value: m._date(b"--min-age=", value),
    "--show-object-format": _Machine._format,
}
