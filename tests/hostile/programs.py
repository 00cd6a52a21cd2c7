"""A repository with every setting that can run a program, and every hook; and all operations on it."""

from __future__ import annotations

from pathlib import Path

from tests.support.writing import copy_of

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.errors import GitError
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant
from gitglass.mutate.process.granted import Programs
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import Mutation, UndoRequest

HOOKS = (
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "post-checkout",
    "pre-push", "reference-transaction", "post-index-change", "pre-auto-gc", "post-rewrite", "pre-rebase", "fsmonitor-watchman",
    "applypatch-msg", "sendemail-validate",
)  # fmt: skip
SETTINGS = """
[core]
	fsmonitor = {trap} fsmonitor
	hooksPath = {hooks}
	sshCommand = {trap} ssh
	pager = {trap} pager
	editor = {trap} editor
	askPass = {trap}
	gitProxy = {trap}
	alternateRefsCommand = {trap}
	untrackedCache = true
[filter "f"]
	clean = {trap} clean
	smudge = {trap} smudge
[filter "g"]
	process = {trap} process
	required = false
[diff]
	external = {trap} diff
	submodule = log
[diff "d"]
	textconv = {trap} textconv
	command = {trap} command
[merge "m"]
	driver = {trap} driver %A
	name = m
[gpg]
	program = {trap}
[gpg "ssh"]
	program = {trap}
	defaultKeyCommand = {trap}
[credential]
	helper = !{trap} helper
[sequence]
	editor = {trap} sequence
[interactive]
	diffFilter = {trap} interactive
[trailer "x"]
	command = {trap} trailer
	cmd = {trap} trailer
[alias]
	commit = !{trap} alias
[gc]
	auto = 1
	recentObjectsHook = {trap}
[maintenance]
	auto = true
[rerere]
	enabled = true
[log]
	showSignature = true
[status]
	submoduleSummary = true
[protocol "ext"]
	allow = always
[url "ext::{trap} "]
	insteadOf = zz://
[remote "origin"]
	url = zz://x
	uploadpack = {trap}
	receivepack = {trap}
[uploadpack]
	packObjectsHook = {trap}
[mergetool "x"]
	cmd = {trap}
[man "x"]
	cmd = {trap}
[browser "x"]
	cmd = {trap}
"""
ATTRIBUTES = "*.up filter=f\n*.gg filter=g\n*.md diff=d merge=m\n"
LINES = [line.split() for line in """
add a.up
add new.txt
commit -m one
commit --amend -m two
restore a.up
switch -c fresh HEAD~1
switch -
add b.gg
merge fresh
cherry-pick fresh
revert HEAD
restore README.md
stash push
stash pop
tag -a -m m noted
tag -s -m m signed
commit -S -m m --allow-empty
branch other HEAD~1
reset --hard HEAD~1
checkout HEAD -- README.md
rm -f new.txt
update-ref refs/heads/other HEAD
reset --hard main
fetch
fetch origin
fetch ../peer
fetch ../peer main:refs/remotes/peer/main
pull --no-rebase ../peer main
push origin HEAD:refs/heads/pushed
push ../peer HEAD:refs/heads/pushed
push ../peer :refs/heads/pushed
switch -c moved HEAD~2
commit --allow-empty -m moved
rebase main
rebase --autostash --force-rebase main
merge --autostash --no-ff -m m main
cherry-pick --continue
undo
""".strip().splitlines()]  # fmt: skip


#: those of a repository that is pushed to
RECEIVING = ("pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout")


def made(tmp_path: Path) -> tuple[Path, Path]:
    """(the repository, a file that exists when a trap was run)."""
    repo, ran = copy_of("plain", tmp_path / "repo"), tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 $1 >> {ran}\ncat\n")
    trap.chmod(0o755)
    peer = copy_of("plain", tmp_path / "peer")
    hooks = repo / "hk"
    for name in (*HOOKS, *RECEIVING):
        for folder in (hooks, repo / ".git/hooks", peer / ".git/hooks"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(f"#!/bin/sh\necho hook:{name} >> {ran}\n")
            (folder / name).chmod(0o755)
    for one in (repo, peer):
        with (one / ".git/config").open("a") as config:
            config.write(SETTINGS.format(trap=trap, hooks=hooks))
    (repo / ".git/info/attributes").write_text(ATTRIBUTES)
    (repo / "a.up").write_text("content\n")
    (repo / "new.txt").write_text("new\n")
    (repo / "b.gg").write_text("b\n")
    with (repo / "README.md").open("a") as readme:
        readme.write("changed\n")
    return repo, ran


def operate(repo: Path, programs: Programs) -> dict[str, str]:
    """Every operation once, as far as it comes: how each ended."""
    grant = WriteGrant(
        identity=Identity("A", "a@b"), zone=0, refs=("*",), hooks="skip", programs=programs, remotes=("*",),
        effects=ALL_EFFECTS, plain_http=True,
    )  # fmt: skip
    ended = {}
    for words in LINES:
        writer = Writer(handle := gitglass.open(repo), grant)
        try:
            with Context(Limits()) as ctx:
                if words == ["undo"]:
                    request: Mutation = UndoRequest(operation=writer.operations()[-1].id)
                else:
                    request = parse_command(words, handle.store, ctx).request  # type: ignore[assignment]
            plan = writer.plan(request)
            writer.apply(plan, approve(plan, "test"))
            ended[" ".join(words)] = "done"
        except GitError as error:
            ended[" ".join(words)] = error.code
            for operation in writer.interrupted():
                raise AssertionError(operation) from error
    return ended
