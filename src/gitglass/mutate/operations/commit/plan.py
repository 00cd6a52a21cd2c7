"""`commit`: a commit of what the index holds, and the branch moved to it. Mirrors git-commit(1).

No editor is ever opened: a message has to be given, or is that of the commit that is amended or of the merge that is
concluded. Hooks are run, and commits signed, where the host granted the programs.
"""

from __future__ import annotations

import re

from ....errors import BadRequest, CommandFailed, Conflict, Unsupported, text
from ....graph.merge_base import independent
from ....index.extensions import CacheTree
from ....objects.parsed import GITLINK, REGULAR, Commit
from ....paths.pathspec import Pathspecs
from ....render.log.trailers import signed_off, trailer_rules, with_trailers
from ....request.mutations import AddRequest, CommitRequest
from ....worktree.stat_cache import gitlinks
from ...apply import new_index
from ...changes import ABSENT, Changes, EntryChange, GitFile, LogChange, Row
from ...checkout.outward import is_attributes
from ...index_file import rows_at, without_paths, write_trees
from ...merging.autostash import NAME, bring_back, pending
from ...merging.headers import kept_headers, merged_tags, named_date, named_person, written_person
from ...merging.laid import keep_state
from ...merging.noted import need_no_notes
from ...names import check_path
from ...plan import Answer, Plan
from ...process.granted import MESSAGE
from ...stash.rows import index_rows, rows_tree
from ...view import View
from ..add import staged
from ..branch import check_free
from ..common import (
    SETTLE,
    check_hooks,
    commit_tree,
    encoding_line,
    ended_series,
    finished,
    read_submodules,
    refused_switches,
    signs_commits,
    top_attributes,
    tree_rows,
)
from ..compatible import check_commit
from ..message import (
    cleaned,
    cleanup_mode,
    commit_named,
    conventional,
    is_empty,
    mark_for,
    message_in,
    paragraphs,
    stripped,
    subject_of,
)
from ..paths import pathspecs_of
from ..summary import as_amended, commit_summary, status_after, submodules_looked_at
from .concluded import EMPTY_PICK, STATE, concluded, merged_commits, tags_merged
from .rows import Rows, changes_to, index_holding, rows_of_head, rows_of_index, rows_of_paths

_TAKEN = (
    "-s", "--signoff", "--allow-empty", "--allow-empty-message", "--no-edit", "-o", "--only", "--no-gpg-sign",
    "--reset-author", "-i", "--include", "-S",
)  # fmt: skip


def plan_commit(request: CommitRequest, view: View, *, continues: bool = False) -> Plan:
    """The plan of a commit; `continues` is as in `Committing`. Raises NotFound without an identity, Conflict for
    unmerged files, CommandFailed (git's status, with git's words on both streams) where there is nothing to commit."""
    refused_switches(request, _TAKEN)
    for option, word in (("--reedit-message", request.reedit), ("--squash", request.squash)):
        if word is not None:
            raise Unsupported(f"git commit: gitglass does not take {option}: it opens no editor", option=option)
    if request.fixup is not None and re.match("[a-z]+:", request.fixup):
        raise Unsupported("git commit: gitglass takes --fixup for a commit only", option="--fixup")
    view.need_work_tree()
    signs_commits(view, request.switches)
    if not request.no_verify or view.grant.hooks != "skip":
        check_hooks_of_commit(view, request)
    changes = Changes()
    answer = Committing(request, view, continues=continues).run(changes)
    return finished(request, view, changes, answer)


def check_hooks_of_commit(view: View, request: CommitRequest) -> None:
    """The hooks of a commit: admitted where they are granted, else refused or skipped. `--no-verify` leaves out two of
    them (git-commit(1))."""
    names = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", *["post-rewrite"] * request.amend]
    if view.hooks is None:
        check_hooks(view, names)
    else:
        unasked = ("pre-commit", "commit-msg") if request.no_verify else ()
        check_hooks(view, (), runs=[name for name in names if name not in unasked])


class Committing:
    """One commit being planned. `made` is its name afterwards. With `resumes` it concludes one commit of a series: the
    message is the one that was kept, cleaned of comments. With `continues` it concludes a merge, though no message was
    kept: git aborts over an empty one."""

    made: bytes | None = None
    _kept: bytes | None = None  # what COMMIT_EDITMSG has: signed off, with trailers, with comments

    def __init__(self, request: CommitRequest, view: View, *, resumes: bool = False, continues: bool = False) -> None:
        self.request, self.view, self._resumes, self._continues = request, view, resumes, continues
        self.branch, self.head = view.head()
        self.amended: Commit | None = None
        self._named = None if request.author is None else named_person(view, request.author)
        check_commit(request, concluded(self.view), is_first=self.head is None)
        self._reused = None if request.reuse is None else commit_named(view, request.reuse)
        self._fixed = None if request.fixup is None else commit_named(view, request.fixup)
        if request.amend and self.head is not None:
            self.amended = Commit(self.head, view.odb.read(self.head)[1], view.odb.grafted.get(self.head))
            need_no_notes(view, "amend", [self.head])

    def run(self, changes: Changes) -> Answer:
        """Put the commit into `changes`, and everything that goes with it."""
        request, view = self.request, self.view
        rows = self._entries(changes)
        if not self._is_partial:
            self._need_merged(changes)
        rows = self._after_pre_commit(changes, rows)
        author = self._author()
        tree, trees = write_trees(rows, self._cached(changes), view.new.add,
                                  view.store.empty_tree)  # fmt: skip
        if not request.paths and not self._has_intents() and not {"-o", "--only"} & set(request.switches):
            changes.trees, changes.refresh = trees, True
        parents = self._parents()
        message = self._message()
        self._need_change(tree, parents, rows, changes)
        hooked = self._after_message_hooks(changes, rows, message)
        message, self._kept = hooked, self._kept if hooked == message else None
        if is_empty(message, self._cleanup[0]) and "--allow-empty-message" not in request.switches:
            raise CommandFailed(
                "Aborting commit due to empty commit message.", status=1, prefix="", stdout=self._unresolved(changes)
            )
        commit = self.made = self._commit(tree, parents, author, message)
        self._move(changes, commit, parents, message)
        kept = message if self._kept is None else self._kept
        changes.git_files.append(self._git_file(b"COMMIT_EDITMSG", kept))
        for name in (*STATE, *ended_series(view)):
            if (file := self._git_file(name, None)).before is not None:
                changes.git_files.append(file)
        if view.hooks is not None:
            view.hooks.later("post-commit", ())
            if self.amended is not None:
                pair = b"%b %b\n" % (self.amended.oid.hex().encode(), commit.hex().encode())
                view.hooks.later("post-rewrite", (b"amend",), pair)
        out = self._unresolved(changes) + (b"" if self._quiet() else self._words(commit, parents, changes))
        return Answer(out, self._brought_back(changes, tree))

    def _brought_back(self, changes: Changes, tree: bytes) -> bytes:
        """What the merge that is concluded had put away comes back; git's words."""
        commit = pending(self.view)
        if commit is None:
            return b""
        if self._is_partial and not self._left(changes):  # it is laid over the index, which holds more
            rows = index_rows(self.view)
            for entry in changes.entries:
                rows.pop(entry.path, None)
                rows.update((entry.path, (row.mode, row.oid)) for row in entry.after)
            tree = rows_tree(self.view, rows)
        words, merged = bring_back(self.view, changes, tree, commit)
        changes.trees = None  # which were the commit's
        keep_state(self.view, changes, {NAME: None, b"AUTO_MERGE": merged and merged.hex().encode() + b"\n"})
        return words

    def _left(self, changes: Changes) -> list[bytes]:
        """Paths that are still in conflict."""
        resolved = {entry.path for entry in changes.entries}
        return [path for path in self.view.index.unmerged if path not in resolved]

    def _unresolved(self, changes: Changes) -> bytes:
        """What git's refresh of the index says of conflicts that a partial commit leaves, `--quiet` or not."""
        return b"".join(b"%b: needs merge\n" % path for path in self._left(changes)) if self._is_partial else b""

    def _need_merged(self, changes: Changes) -> None:
        """Raise Conflict in git's words where the index still has conflicts."""
        if left := self._left(changes):
            raise Conflict(
                f"Committing is not possible because you have unmerged files.\n{SETTLE}\n"
                "fatal: Exiting because of an unresolved conflict.",
                prefix="error",
                status=128,
                paths=[text(path) for path in left],
                stdout=b"".join(b"U\t%b\n" % path for path in left),
            )

    @property
    def _is_partial(self) -> bool:
        """Whether only some paths are committed, over what HEAD has: the rest of the index is left alone."""
        switches = set(self.request.switches)
        if self.request.paths:
            return not switches & {"-i", "--include"}
        return bool(switches & {"-o", "--only"})

    def _quiet(self) -> bool:
        return "-q" in self.request.switches or "--quiet" in self.request.switches

    # --- what is committed ------------------------------------------------------------------------------------------

    def _has_intents(self) -> bool:
        index = self.view.index
        return any(index.intent_to_add(at) for at in index.special)

    def _cached(self, changes: Changes) -> CacheTree | None:
        """The trees of the index that are known and are the commit's too: none, where HEAD's files are below it."""
        if self._is_partial or self._has_intents():
            return None
        return without_paths(self.view.index.cache_tree, [entry.path for entry in changes.entries])

    def _entries(self, changes: Changes) -> Rows:
        """(path, mode, oid) of what the commit holds; what it stages on the way goes into `changes`."""
        request, view = self.request, self.view
        if self._is_partial and (doing := concluded(self.view)):
            raise BadRequest(f"cannot do a partial commit during a {doing}.")
        if request.all or request.paths:
            words = AddRequest(paths=request.paths, update=True)
            changes.entries = staged(words, view, lfs=changes.lfs, believing=not self._is_partial)
        if self._is_partial and request.paths:
            return rows_of_paths(view, self.head, request.paths, changes)
        return rows_of_head(view, self.head) if self._is_partial else rows_of_index(view, changes)

    # --- hooks ------------------------------------------------------------------------------------------------------

    def _after_pre_commit(self, changes: Changes, rows: Rows) -> Rows:
        """What is committed, with what the hook has staged."""
        hooks, index = self.view.hooks, self.view.index
        if hooks is None or self._resumes:
            return rows
        outcome = hooks.ask("pre-commit", (), self._index_of(changes, rows), None, dict(self.view.new.held))
        if outcome is None or not outcome.entries:
            return rows
        if self._is_partial:
            raise Unsupported("the hook 'pre-commit' has changed the index of a commit of some paths only")
        for oid, (kind, content) in outcome.objects.items():
            self.view.new.held.setdefault(oid, (kind, content))
        by_path = {entry.path: entry for entry in changes.entries}
        for path, after in outcome.entries.items():
            check_path(path)
            if any(not self.view.odb.has(oid) for _, mode, oid in after if mode != GITLINK):
                raise Unsupported("the hook 'pre-commit' has staged an object that is not there", path=text(path))
            by_path[path] = EntryChange(path, rows_at(index, path), tuple(Row(*row) for row in after))
        changes.entries = sorted(by_path.values(), key=lambda entry: entry.path)
        self._need_merged(changes)
        return rows_of_index(self.view, changes)

    def _after_message_hooks(self, changes: Changes, rows: Rows, message: bytes) -> bytes:
        """The message as the two hooks leave it."""
        hooks, request = self.view.hooks, self.request
        if hooks is None or self._resumes:
            return message
        source: tuple[bytes, ...] = (b"message",)
        if self._reused is not None:
            source = b"commit", (request.reuse or "").encode("utf-8", "surrogateescape")
        elif not request.message and request.file is None and self._fixed is None:
            squash = self.view.git_file(b"SQUASH_MSG") is not None
            source = (b"commit", b"HEAD") if self.amended is not None else (b"squash",) if squash else (b"merge",)
        index = self._index_of(changes, rows)
        for name, words in (("prepare-commit-msg", (MESSAGE, *source)), ("commit-msg", (MESSAGE,))):
            outcome = hooks.ask(name, words, index, message, dict(self.view.new.held))
            if outcome is not None and outcome.entries:
                raise Unsupported(f"the hook '{name}' has changed the index", hook=name)
            if outcome is not None and outcome.message is not None and outcome.message != message:
                if len(outcome.message) > self.view.grant.limits.message_bytes:
                    raise BadRequest(f"the message that the hook '{name}' has left is too long", hook=name)
                message = cleaned(outcome.message, *self._cleanup)
        return message

    def _index_of(self, changes: Changes, rows: Rows) -> bytes:
        """The index file that a hook is given."""
        if self._is_partial:
            return index_holding(self.view, rows)
        store = self.view.store
        return new_index(store, store.index, Changes(entries=changes.entries), {}, self.view.ctx)

    def _parents(self) -> list[bytes]:
        if self.amended is not None:
            return list(self.amended.parents)
        return [*([] if self.head is None else [self.head]), *merged_commits(self.view)]

    def _need_change(self, tree: bytes, parents: list[bytes], rows: Rows, changes: Changes) -> None:
        """Raise CommandFailed with the status as git prints it, where the commit would change nothing."""
        if "--allow-empty" in self.request.switches or len(parents) > 1:
            return
        before = commit_tree(self.view, parents[0]) if parents else self.view.store.empty_tree
        if tree != before:
            return
        words = self._unresolved(changes)
        if self._is_partial:
            words += status_after(self.view, changes_to(self.view, rows), self._attributes_read(changes))
        else:
            looked_at = self.request.all or self.request.paths
            specs = pathspecs_of(self.view, self.request.paths)
            links = submodules_looked_at(self.view, specs, changes.entries) if looked_at else []
            words += status_after(self.view, [*changes.entries, *links])
        if gitlinks(self.view.index):
            read_submodules(self.view)
        if self.amended is not None:
            raise CommandFailed(
                "You asked to amend the most recent commit, but doing so would make\n"
                "it empty. You can repeat your command with --allow-empty, or you can\n"
                'remove the commit entirely with "git reset HEAD^".',
                status=1,
                prefix="",
                stdout=as_amended(words, root=not parents) + b"No changes\n",
            )
        doing = concluded(self.view)
        err = b"" if not doing else EMPTY_PICK % doing.encode()
        raise CommandFailed(
            "nothing to commit", status=1, prefix="", stdout=words, stderr=err, kind="nothing_to_commit"
        )

    # --- message, people --------------------------------------------------------------------------------------------

    def _attributes_read(self, changes: Changes) -> dict[bytes, bytes | None]:
        """The attributes that git goes by after it has staged the paths of a partial commit in the index: those of that
        index, where it had to read any file for it, and not those of the index that the commit is made of."""
        view, looker, stat = self.view, self.view.looker, self.view.index.stat
        if any(entry.after and entry.after[0].mode >> 12 == REGULAR >> 12 for entry in changes.entries) or any(
            status is not None and looker.changed(at, status) in ("", "data") and stat(at)[9] in (0, status.st_size)
            for at, status in looker.suspects(Pathspecs.ALL)
        ):
            return top_attributes(view, changes.entries)
        return {}

    def _message(self) -> bytes:
        """The message as it is recorded, in `_kept` before it is cleaned up. Raises BadRequest where there is none."""
        request, config = self.request, self.view.config
        asked = config.get("commit.cleanup") if request.cleanup is None else request.cleanup.encode()
        mode = cleanup_mode(asked)
        if self._fixed is not None:
            more = paragraphs(request.message, self.view.grant.limits.message_bytes)
            raw = b"fixup! %b\n\n%b" % (subject_of(self._fixed.message), more)
        elif request.message:
            first = conventional(request.type, request.scope, request.message[0])
            raw = paragraphs([first, *request.message[1:]], self.view.grant.limits.message_bytes)
            if request.exact:
                raw, mode = first.encode("utf-8", "surrogateescape") if first.strip() else b"", "verbatim"
        elif request.file is not None:
            raw = message_in(self.view, request.file)
        elif self._reused is not None:
            raw = self._reused.message.lstrip(b"\n")
        elif self.amended is not None:
            raw, mode = self.amended.message, cleanup_mode(asked, edited="--no-edit" not in request.switches)
        else:
            raw, mode = self._left_message()
        self._cleanup = mode, mark_for(config.get("core.commentchar") or b"#", raw)
        message = raw if mode == "verbatim" else stripped(raw)
        if {"-s", "--signoff"} & set(request.switches):
            line = b"Signed-off-by: %b <%b>\n" % self.view.person("committer")
            message = signed_off(message, line, trailer_rules(self.view.store), once=False, above_comments=True)
        if request.trailers:
            message = with_trailers(message, request.trailers, config)
        self._kept = message
        return cleaned(message, *self._cleanup)

    def _left_message(self) -> tuple[bytes, str]:
        """What a merge or pick, and before it a squashed merge, have left as a message, and how it is cleaned up. It
        may be none, which ends the commit, where nobody is to write one."""
        written = [self.view.git_file(name) for name in (b"SQUASH_MSG", b"MERGE_MSG")]
        unedited = "--no-edit" in self.request.switches
        if written == [None, None] and not (unedited or self._resumes or self._continues):
            raise BadRequest("a message is needed: gitglass opens no editor", hint="Give -m.")
        asked = b"strip" if self._resumes else self.view.config.get("commit.cleanup")
        if self.request.cleanup is not None:
            asked = self.request.cleanup.encode()
        return b"".join(part or b"" for part in written), cleanup_mode(asked, edited=not unedited)

    def _former(self) -> Commit | None:
        """The commit whose author this one has too: the one whose message is used again, is amended, or picked."""
        if self._reused is not None:
            return self._reused
        picked = None if self.amended is not None else self.view.git_file(b"CHERRY_PICK_HEAD")
        if picked is None:
            return self.amended
        fits = re.match(rb"([0-9a-fA-F]{%d})(?:\s|$)" % self.view.store.hex_len, picked)
        if fits is None:
            return None  # git takes it for no ref, and the commit for one like any other
        oid = bytes.fromhex(fits[1].decode())
        if not self.view.odb.has(oid) or self.view.odb.kind(oid) != b"commit":
            raise BadRequest("could not lookup commit CHERRY_PICK_HEAD")
        return Commit(oid, self.view.odb.read(oid)[1])

    def _author(self) -> bytes:
        request, view = self.request, self.view
        date: bytes | None = None
        former = self._former()
        if former is not None and "--reset-author" not in request.switches:
            name_mail, _, old = former.author.rpartition(b"> ")
            name_mail, date = name_mail + b">", old
        else:
            name_mail = b"%b <%b>" % view.person("author")
        if self._named is not None:
            name_mail = written_person(view, self._named)
        if request.date is not None:
            date = named_date(request.date, view.moment.seconds)
        return name_mail + b" " + (view.date("author") if date is None else date)

    def _commit(self, tree: bytes, parents: list[bytes], author: bytes, message: bytes) -> bytes:
        view = self.view
        lines = [b"tree %b\n" % tree.hex().encode()]
        if self.amended is None and view.git_file(b"MERGE_MODE") != b"no-ff":  # HEAD may have moved on since the merge
            parents = independent(view.store, parents, ctx=view.ctx)
        lines += [b"parent %b\n" % parent.hex().encode() for parent in dict.fromkeys(parents)]
        lines += [b"author %b\n" % author, b"committer %b\n" % view.ident("committer")]
        lines += encoding_line(view)
        old = self.amended
        lines.append(merged_tags(tags_merged(view)) if old is None else kept_headers(old.raw[: old.body_at]))
        if b"\0" in message:
            raise BadRequest("a NUL byte in commit log message not allowed.", prefix="error")
        content = b"".join(lines) + b"\n" + message
        return view.new_commit(content, signed=signs_commits(view, self.request.switches))

    # --- refs, words ------------------------------------------------------------------------------------------------

    def _move(self, changes: Changes, commit: bytes, parents: list[bytes], message: bytes) -> None:
        view = self.view
        kind = b"amend" if self.amended is not None else b"initial" if not parents else b"merge" * (len(parents) > 1)
        kind = kind or concluded(self.view).encode()
        line = b"commit%b: %b" % (b" (%b)" % kind if kind else b"", message.partition(b"\n")[0])
        name = self.branch if self.branch is not None else b"HEAD"
        if self.head is None:
            check_free(view, name, b"HEAD")
        changes.refs.append(view.move_ref(name, commit))
        old = self.head or ABSENT
        if commit != old or self.branch is None:  # a branch that does not move has no line of it, but HEAD has
            changes.logs.append(LogChange(name, old, commit, line))
        if self.branch is not None:
            changes.logs.append(LogChange(b"HEAD", old, commit, line))

    def _git_file(self, name: bytes, after: bytes | None) -> GitFile:
        return GitFile(name, self.view.git_file(name), after)

    def _words(self, commit: bytes, parents: list[bytes], changes: Changes) -> bytes:
        old = self._former() is not None and "--reset-author" not in self.request.switches
        dated = old or self.request.date is not None
        root = not parents and self.amended is None
        entries = changes.entries
        if self._is_partial:  # it is summed up by the attributes of the index that it is made of
            index, rows = self.view.index, tree_rows(self.view, commit_tree(self.view, commit))
            rules = set(filter(is_attributes, [*rows, *index.ending(b".gitattributes", 0, len(index))]))
            sides = {path: (Row(0, *rows[path]),) if path in rows else () for path in rules}
            entries = [entry for entry in entries if entry.path not in rules]
            entries += [EntryChange(path, rows_at(index, path), after) for path, after in sorted(sides.items())]
        return commit_summary(self.view, self.branch, commit, root=root, dated=dated, entries=entries)
