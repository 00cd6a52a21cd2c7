"""Ways out: everything in a repository that can name another place."""

import os
from pathlib import Path

from ..craft import SECRET, Builder, Family, append, blob, commit, graph, head, midx, put, tree

FAMILY = Family("ways out")

#: files of the git directory that a link can replace, and whether the history is still to be had
LINKED = {
    "HEAD": False, "config": False, "index": True, "packed-refs": False, "refs/heads/evil": True, "refs/tags/evil": True, "info/exclude": True,
    "info/attributes": True, "info/sparse-checkout": True, "info/grafts": False, "shallow": False, "logs/HEAD": True, "logs/refs/heads/main": True,
    "MERGE_HEAD": True, "MERGE_MSG": True, "CHERRY_PICK_HEAD": True, "ORIG_HEAD": True, "FETCH_HEAD": True, "BISECT_LOG": True,
    "objects/info/alternates": True, "objects/info/commit-graph": True, "objects/pack/multi-pack-index": True, "commondir": False,
    "config.worktree": True, "refs/stash": True, "refs/notes/commits": True, "refs/replace/" + "1" * 40: True, "refs/remotes/origin/HEAD": True,
    "rebase-merge/head-name": True, "rebase-apply/onto": True, "sequencer/todo": True, "HEAD.lock": True, "description": True,
}  # fmt: skip


def _link(name: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = repo / ".git" / name
        put(path, b"")
        path.unlink()
        path.symlink_to(outside / "secret")

    return build


for _name, _intact in LINKED.items():
    FAMILY.add(f"{_name} is a link outwards", _link(_name), intact=_intact)


def _folder(name: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = repo / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.rename(outside / "moved")
        (outside / "moved").mkdir(exist_ok=True)
        put(outside / "moved" / "secret", SECRET + b"\n")
        path.symlink_to(outside / "moved")

    return build


for _name in (
    "objects",
    "objects/pack",
    "objects/info",
    "refs",
    "refs/heads",
    "refs/tags",
    "logs",
    "info",
    "worktrees",
    "modules",
    "reftable",
):
    FAMILY.add(f"the directory {_name} is a link outwards", _folder(_name))


def _git_file(text: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        (repo / ".git").rename(outside / "other.git")
        put(repo / ".git", text.format(outside=outside).encode())

    return build


for _name, _text in {
    "absolute": "gitdir: {outside}/other.git\n", "relative": "gitdir: ../../outside/other.git\n", "through itself": "gitdir: .git\n", "to the root": "gitdir: /\n",
    "to itself": "gitdir: ../repo/.git\n", "empty": "gitdir: \n", "no newline": "gitdir: {outside}/other.git", "to a secret": "gitdir: {outside}/secret\n",
    "binary": "gitdir: \0\x1b[2J\n", "to proc": "gitdir: /proc/self/cwd\n",
}.items():  # fmt: skip
    FAMILY.add(f".git is a file, {_name}", _git_file(_text))


@FAMILY(".git is a file to a link outwards")
def git_file_link(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(outside / "other.git")
    (repo / "hop").symlink_to(outside / "other.git")
    put(repo / ".git", b"gitdir: hop\n")


@FAMILY(".git is a link outwards")
def git_link(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(outside / "other.git")
    (repo / ".git").symlink_to("../../outside/other.git")


@FAMILY(".git is a link to itself")
def git_link_loop(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(outside / "other.git")
    (repo / ".git").symlink_to(".git")


@FAMILY("a repository above the root")
def above(repo: Path, outside: Path) -> None:
    (repo / ".git").rename(repo.parent / ".git")


@FAMILY("a bare repository buried in the work tree", intact=True)
def buried(repo: Path, outside: Path) -> None:
    for name in ("HEAD", "config", "objects/x", "refs/x"):
        put(
            repo / "buried.git" / name,
            b"ref: refs/heads/main\n" if name == "HEAD" else f"[core]\n fsmonitor = touch {outside}/ran\n".encode(),
        )


for _name, _text in {
    "absolute": "{outside}\n", "relative": "../../../outside\n", "to the root": "/\n", "to a secret": "{outside}/secret\n", "cycle": ".\n../.git\n",
}.items():  # fmt: skip

    def _commondir(repo: Path, outside: Path, text: str = _text) -> None:
        put(repo / ".git/commondir", text.format(outside=outside).encode())

    FAMILY.add(f"commondir, {_name}", _commondir)


for _name, _text in {
    "absolute": "{outside}\n", "relative": "../../../../outside\n", "to the root": "/\n", "itself": "{repo}/.git/objects\n", "nested": "../nested\n",
    "quoted": '"{outside}"\n', "thousands": "\n".join(f"../a{n}" for n in range(5000)) + "\n", "proc": "/proc/self/root\n", "binary": "\x01\x02\n",
    "a NUL": "a\0b\n{outside}\n", "a quoted NUL": '"{outside}\\000b"\n',
}.items():  # fmt: skip

    def _alternates(repo: Path, outside: Path, text: str = _text) -> None:
        put(repo / ".git/objects/info/alternates", text.format(outside=outside, repo=repo).encode())
        put(repo / ".git/nested/info/alternates", f"../nested2\n{outside}\n".encode())
        put(repo / ".git/nested2/info/alternates", b"../nested\n")
        put(outside / "info/alternates", b"/\n")

    FAMILY.add(f"alternates, {_name}", _alternates, intact=True)


for _name, _text in {
    "absolute": "{outside}/secret.config", "relative": "../../../outside/secret.config", "home": "~/secret.config", "user": "~root/secret.config",
    "prefix": "%(prefix)/etc/passwd", "itself": "config", "through a link": "linked",
}.items():  # fmt: skip

    def _include(repo: Path, outside: Path, text: str = _text) -> None:
        put(outside / "secret.config", b"[user]\n name = " + SECRET + b"\n")
        (repo / ".git/linked").symlink_to(outside / "secret.config")
        append(repo / ".git/config", f"[include]\n path = {text.format(outside=outside)}\n")

    FAMILY.add(f"include.path, {_name}", _include, intact=_name not in ("itself",))


for _key in (
    "core.worktree",
    "core.excludesFile",
    "core.attributesFile",
    "mailmap.file",
    "blame.ignoreRevsFile",
    "diff.orderFile",
    "commit.template",
    "init.templateDir",
    "core.hooksPath",
):
    for _name, _text in {
        "absolute": "{outside}/secret",
        "relative": "../../outside/secret",
        "directory": "{outside}",
    }.items():

        def _setting(repo: Path, outside: Path, key: str = _key, text: str = _text) -> None:
            section, _, name = key.partition(".")
            append(repo / ".git/config", f"[{section}]\n {name} = {text.format(outside=outside)}\n")

        FAMILY.add(f"{_key}, {_name}", _setting)


@FAMILY("mailmap.blob names things", intact=True)
def mailmap_blob(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[mailmap]\n blob = ../../../outside/secret\n blob = HEAD^{tree}\n blob = :/(a+)+$\n")


for _name, _text in {
    "dots": "ref: ../../../outside/secret\n", "absolute": "ref: /etc/passwd\n", "refs and dots": "ref: refs/../../../../outside/secret\n", "config": "ref: config\n",
    "proc": "ref: refs/heads/../../../../../../proc/self/environ\n",
}.items():  # fmt: skip

    def _head(repo: Path, outside: Path, text: str = _text) -> None:
        put(repo / ".git/HEAD", text.encode())
        put(repo / ".git/refs/heads/odd", text.encode())

    FAMILY.add(f"HEAD, {_name}", _head)


@FAMILY("rule files are links", intact=True)
def rule_files(repo: Path, outside: Path) -> None:
    for name in (".gitignore", ".gitattributes", ".mailmap", ".gitmodules", "src/.gitignore", "src/.gitattributes"):
        (repo / name).unlink(missing_ok=True)
        (repo / name).symlink_to(outside / "secret")


@FAMILY("tracked files are links", intact=True)
def tracked_links(repo: Path, outside: Path) -> None:
    put(repo / "README.md", b"")
    (repo / "README.md").unlink()
    (repo / "README.md").symlink_to(outside / "secret")


@FAMILY("a tracked directory is a link", intact=True)
def tracked_folder(repo: Path, outside: Path) -> None:
    (repo / "src").rename(outside / "src")
    put(outside / "src" / "app.py", SECRET)
    (repo / "src").symlink_to("../../outside/src")


@FAMILY("links that loop in the work tree", intact=True)
def link_loops(repo: Path, outside: Path) -> None:
    (repo / "a").symlink_to("b")
    (repo / "b").symlink_to("a")
    (repo / "dot").symlink_to(".")
    (repo / "up").symlink_to("..")
    (repo / "root").symlink_to("/")


@FAMILY("a chain of a hundred links", intact=True)
def link_chain(repo: Path, outside: Path) -> None:
    for at in range(100):
        (repo / f"l{at}").symlink_to(f"l{at + 1}")
    (repo / "l100").symlink_to(outside / "secret")
    (repo / ".gitignore").symlink_to("l0")


@FAMILY("tree paths that leave")
def tree_paths(repo: Path, outside: Path) -> None:
    secret = blob(repo, b"x\n")
    up = tree(repo, (b"100644", b"secret", secret))
    for name in (b"..", b"../outside", b"/etc", b".git", b"a/../../outside"):
        commit(repo, tree(repo, (b"40000", name, up), (b"100644", b"a", secret)), ref="refs/heads/" + name.hex())
    commit(repo, tree(repo, (b"40000", b"..", tree(repo, (b"40000", b"outside", up)))))


@FAMILY("links in trees")
def tree_links(repo: Path, outside: Path) -> None:
    link = blob(repo, str(outside / "secret").encode())
    inner = tree(repo, (b"100644", b"secret", blob(repo, b"x\n")))
    commit(
        repo,
        tree(
            repo,
            (b"120000", b".gitattributes", link),
            (b"120000", b".gitmodules", link),
            (b"120000", b".mailmap", link),
            (b"40000", b"dir", inner),
        ),
    )


@FAMILY("a submodule whose .git leads out")
def submodule(repo: Path, outside: Path) -> None:
    put(repo / "x" / ".git", f"gitdir: {outside}/other.git\n".encode())
    put(outside / "other.git/HEAD", b"ref: refs/heads/main\n")
    put(outside / "other.git/refs/heads/main", head(repo).encode())
    put(outside / "other.git/objects/x", b"")
    put(repo / ".gitmodules", b'[submodule "../../../outside/other.git"]\n path = x\n url = ../x\n')
    commit(repo, tree(repo, (b"100644", b".gitmodules", blob(repo, b"")), (b"160000", b"x", head(repo))))


@FAMILY("a submodule in modules/../..")
def submodule_modules(repo: Path, outside: Path) -> None:
    put(repo / ".git/modules/x/HEAD", b"ref: refs/heads/main\n")
    put(repo / ".git/modules/x/commondir", str(outside).encode())
    put(repo / "x" / ".git", b"gitdir: ../.git/modules/x\n")
    commit(repo, tree(repo, (b"160000", b"x", head(repo))))


@FAMILY("a linked worktree that links elsewhere")
def linked_worktree(repo: Path, outside: Path) -> None:
    put(repo / ".git/worktrees/x/gitdir", f"{outside}/wt/.git\n".encode())
    put(repo / ".git/worktrees/x/HEAD", b"ref: refs/heads/main\n")
    put(repo / ".git/worktrees/x/commondir", b"../../../../outside\n")


@FAMILY("the multi-pack-index names packs outside", intact=True)
def midx_names(repo: Path, outside: Path) -> None:
    names = [b"../../../../outside/secret.idx", b"/etc/passwd", b"pack-x.idx"]
    put(
        repo / ".git/objects/pack/multi-pack-index",
        midx([("1" * 40, 0, 12), ("2" * 40, 1, 12), ("3" * 40, 9, 12)], names),
    )


@FAMILY("a chain of commit-graphs with names outside", intact=True)
def graph_chain(repo: Path, outside: Path) -> None:
    put(
        repo / ".git/objects/info/commit-graphs/commit-graph-chain",
        b"../../../../../outside/secret\n" + b"1" * 40 + b"\n/etc/passwd\n",
    )
    put(repo / f".git/objects/info/commit-graphs/graph-{'1' * 40}.graph", graph([]))


@FAMILY("reftable lists tables outside")
def reftable(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[core]\n repositoryformatversion = 1\n[extensions]\n refStorage = reftable\n")
    put(repo / ".git/reftable/tables.list", b"../../../../outside/secret\n/etc/passwd\n")


@FAMILY("a split index whose base is outside")
def split_index(repo: Path, outside: Path) -> None:
    for name in os.listdir(repo / ".git"):
        if name.startswith("sharedindex"):
            (repo / ".git" / name).unlink()
    (repo / f".git/sharedindex.{'1' * 40}").symlink_to(outside / "secret")
