"""Programs that a repository names, hoping that a read runs them."""

from pathlib import Path

from ..craft import Builder, Family, append, blob, commit, head, tree

FAMILY = Family("programs")

#: settings that run their value, and what else must be there for it: (section and key, more configuration)
KEYS = {
    "core.fsmonitor": "", "core.pager": "", "core.editor": "", "core.sshCommand": "", "core.gitProxy": "", "core.askPass": "",
    "core.alternateRefsCommand": "", "sequence.editor": "", "diff.external": "", "diff.x.command": "", "diff.x.textconv": "",
    "filter.x.clean": "", "filter.x.smudge": "", "filter.x.process": "[filter \"x\"]\n required = true\n",
    "pager.log": "", "pager.status": "", "pager.diff": "", "pager.show": "", "pager.branch": "", "pager.blame": "",
    "gpg.program": "[log]\n showSignature = true\n", "gpg.ssh.program": "[gpg]\n format = ssh\n[log]\n showSignature = true\n",
    "gpg.x509.program": "[gpg]\n format = x509\n[log]\n showSignature = true\n", "gpg.ssh.defaultKeyCommand": "[gpg]\n format = ssh\n",
    "credential.helper": "", "uploadpack.packObjectsHook": "", "remote.origin.uploadpack": "", "remote.origin.vcs": "", "remote.origin.proxy": "",
    "interactive.diffFilter": "", "merge.x.driver": "", "trailer.sign.command": "", "trailer.sign.cmd": "", "difftool.x.cmd": "[diff]\n tool = x\n",
    "mergetool.x.cmd": "[merge]\n tool = x\n", "browser.x.cmd": "[help]\n browser = x\n", "man.x.cmd": "[man]\n viewer = x\n",
    "tar.x.command": "", "sendemail.smtpServer": "", "receive.procReceiveRefs": "", "http.proxy": "", "ssh.variant": "", "instaweb.httpd": "",
    "guitool.x.cmd": "", "submodule.x.update": "", "fsmonitor.socketDir": "[core]\n fsmonitor = true\n", "rebase.instructionFormat": "",
}  # fmt: skip


def setting(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    first, dot, second = section.partition(".")
    return f'[{first} "{second}"]\n {name} = {value}\n' if dot else f"[{section}]\n {name} = {value}\n"


def _key(key: str, more: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        run = f"touch {outside}/ran" if not key.startswith("submodule") else f"!touch {outside}/ran"
        append(repo / ".git/config", setting(key, run) + more)
        append(repo / ".git/info/attributes", "* diff=x filter=x merge=x text=auto\n")
        (repo / "README.md").write_text("changed\n")

    return build


for _name, _more in KEYS.items():
    FAMILY.add(_name, _key(_name, _more), intact=True)


def _alias(name: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        append(repo / ".git/config", f"[alias]\n {name} = !touch {outside}/ran\n")

    return build


for _name in ("log", "status", "show", "st", "diff", "blame"):
    FAMILY.add(f"alias.{_name}", _alias(_name), intact=True)


def _hook(name: str) -> Builder:
    def build(repo: Path, outside: Path) -> None:
        path = repo / ".git/hooks" / name
        append(path, f"#!/bin/sh\ntouch {outside}/ran\n")
        path.chmod(0o755)
        append(repo / ".git/config", "[core]\n fsmonitor = .git/hooks/fsmonitor-watchman\n")
        (repo / "README.md").write_text("changed\n")

    return build


for _name in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc", "post-checkout"):
    FAMILY.add(f"hook {_name}", _hook(_name), intact=True)


@FAMILY("hooks kept elsewhere", intact=True)
def hooks_path(repo: Path, outside: Path) -> None:
    for name in ("post-index-change", "fsmonitor"):
        append(outside / name, f"#!/bin/sh\ntouch {outside}/ran\n")
        (outside / name).chmod(0o755)
    append(repo / ".git/config", f"[core]\n hooksPath = {outside}\n fsmonitor = {outside}/fsmonitor\n")
    (repo / "README.md").write_text("changed\n")


EVERYTHING = (
    "[diff]\n external = {0}\n[core]\n fsmonitor = {0}\n pager = {0}\n"
    '[filter "x"]\n clean = {0}\n[diff "x"]\n textconv = {0}\n'
)


@FAMILY("in config.worktree", intact=True)
def worktree_config(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", "[extensions]\n worktreeConfig = true\n")
    append(repo / ".git/config.worktree", EVERYTHING.format(f"touch {outside}/ran"))
    append(repo / ".gitattributes", "* filter=x diff=x\n")


@FAMILY("in an included file", intact=True)
def included(repo: Path, outside: Path) -> None:
    append(repo / ".git/more", EVERYTHING.format(f"touch {outside}/ran"))
    append(repo / ".git/config", "[include]\n path = more\n")
    append(repo / ".gitattributes", "* filter=x diff=x\n")


@FAMILY("in a file included for this directory", intact=True)
def included_if(repo: Path, outside: Path) -> None:
    append(repo / "more", EVERYTHING.format(f"touch {outside}/ran"))
    append(
        repo / ".git/config", '[includeIf "gitdir:**"]\n path = ../more\n[includeIf "onbranch:**"]\n path = ../more\n'
    )
    append(repo / ".gitattributes", "* filter=x diff=x\n")


@FAMILY("written in odd ways", intact=True)
def odd_spelling(repo: Path, outside: Path) -> None:
    run = f"touch {outside}/ran"
    append(
        repo / ".git/config",
        f'[CORE]FSMONITOR="{run}"\n[diff]\n\tExternal = tou\\\nch {outside}/ran\n[Filter "x"]CLEAN={run} # no\n[core]\npager\n',
    )
    append(repo / ".gitattributes", "* filter=x diff=x\n")
    (repo / "README.md").write_text("changed\n")


@FAMILY("a promisor remote with an ext:: URL")
def promisor(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        f'[remote "origin"]\n promisor = true\n url = ext::touch {outside}/ran\n[extensions]\n partialClone = origin\n'
        '[protocol "ext"]\n allow = always\n',
    )
    commit(repo, "1" * 40)


@FAMILY("a promisor remote and missing blobs")
def promised_blobs(repo: Path, outside: Path) -> None:
    promisor(repo, outside)
    commit(repo, tree(repo, (b"100644", b"README.md", "2" * 40)))


@FAMILY("a URL rewritten to ext::", intact=True)
def instead_of(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        f'[url "ext::touch {outside}/ran #"]\n insteadOf = https://\n[protocol]\n allow = always\n',
    )


@FAMILY("a submodule with commands for everything")
def submodule(repo: Path, outside: Path) -> None:
    run = f"!touch {outside}/ran"
    append(
        repo / ".gitmodules",
        f'[submodule "x"]\n path = x\n url = ext::touch {outside}/ran\n update = {run}\n branch = {run}\n',
    )
    commit(repo, tree(repo, (b"100644", b".gitmodules", blob(repo, b"")), (b"160000", b"x", head(repo))))
    inner = repo / "x" / ".git"
    append(inner / "HEAD", "ref: refs/heads/main\n")
    append(inner / "config", "[core]\n repositoryformatversion = 0\n" + EVERYTHING.format(f"touch {outside}/ran"))
    for folder in ("objects", "refs"):
        (inner / folder).mkdir()
    append(repo / "x" / "a", "x\n")


@FAMILY("a signed commit", intact=True)
def signed(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", f"[gpg]\n program = touch {outside}/ran\n[log]\n showSignature = true\n")
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n"
    commit(repo, tree(repo, (b"100644", b"a", blob(repo, b"x\n"))), extra=signature, ref="refs/heads/signed")


@FAMILY("attributes from every place", intact=True)
def attributes(repo: Path, outside: Path) -> None:
    append(repo / ".git/config", EVERYTHING.format(f"touch {outside}/ran") + "[core]\n attributesFile = .git/own\n")
    for place in (".git/own", ".git/info/attributes", ".gitattributes", "src/.gitattributes"):
        append(repo / place, "[attr]run filter=x diff=x\n* run\n")
    for name in ("README.md", "src/app.py"):
        (repo / name).write_text("changed\n")


@FAMILY("an LFS filter that is none", intact=True)
def lfs(repo: Path, outside: Path) -> None:
    append(
        repo / ".git/config",
        f'[filter "lfs"]\n clean = touch {outside}/ran\n smudge = touch {outside}/ran\n process = touch {outside}/ran\n',
    )
    append(repo / ".gitattributes", "* filter=lfs\n")
    (repo / "README.md").write_text("changed\n")
