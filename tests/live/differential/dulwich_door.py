"""The same comparison through another door: `gitglass.open(MemoryRepo)`, against git on a bare copy of the original.

Every object, ref and setting of the copy is loaded into a `MemoryRepo` of dulwich's. Left out of the grammar is only what
such a repository has no answer to: reflogs (it keeps none), files that words name, variables of the environment, and
where the repository is. Commands that need a work tree or an index stay in: both refuse them, in git's words.
"""

import json
import os
import re
import shutil
from typing import Any

from dulwich.config import ConfigFile
from dulwich.repo import MemoryRepo, Repo

import gitglass

from . import entry  # noqa: F401  (loads every module once: each command runs in a forked child)
from .lab import State, ask_git, build

NAME = "dulwich"
#: what is asked of reflogs, of the place of the repository, or of files
LEFT_OUT = re.compile(
    r"@\{-?\d|@\{(now|yesterday|one|[\w ]*ago)|^-g$|^--walk-reflogs|^--reflog|^stash@|absolute|^--git-dir=|^--git-path|--resolve-git-dir"
    r"|^-C$|^--no-index$|^--contents|^--work-tree|^--ignore-revs-file|-from-file|^--indexed-objects|^--git-common-dir|^--local-env-vars"
)
_opened: dict[str, gitglass.Repository] = {}


def states(work: str, repos: list[str]) -> list[State]:
    """A bare copy of each repository, and of the zoo, with what commands can be about."""
    bases = [build(work, "zoo", "", "clean")]
    for source in map(os.path.abspath, repos):
        repo = re.sub(r"(/\.git|/repo|\.git)$", "", source).rpartition("/")[2]
        bases.append(build(work, repo, source, "clean"))
    return [copy(work, base) for base in bases if base]


def copy(work: str, base: State) -> State:
    """The state of a bare copy: without a work tree, an index, reflogs."""
    place = os.path.join(work, base.repo, NAME)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(os.path.join(base.cwd, ".git"), place, symlinks=True)
    for name in ("logs", "index", "ORIG_HEAD", "FETCH_HEAD"):
        path = os.path.join(place, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.remove(path)
    ask_git(place, "config", "core.bare", "true")
    with open(place + ".json", "w") as stream:
        json.dump(base.stamp, stream)
    return base._replace(name=NAME, cwd=place, index=os.path.join(place, "index"), stamp=base.stamp + NAME)


def fits(case) -> bool:
    """Whether a command can be asked of a repository in memory."""
    return case.op != "reflog" and case.cwd == case.state.cwd and not any(map(LEFT_OUT.search, case.argv))


def load(place: str) -> None:
    """Load a repository into memory, once a process."""
    if place in _opened:
        return
    source, held = Repo(place), MemoryRepo()
    for oid in source.object_store:
        held.object_store.add_object(source.object_store[oid])
    refs: Any = held.refs
    for ref in source.refs.allkeys():
        content = source.refs.read_ref(ref)
        if content:
            refs._refs[ref] = content
    held._config = ConfigFile.from_path(os.path.join(place, "config"))
    for name in ("shallow", "info/grafts", "info/attributes", "info/exclude"):
        if os.path.exists(os.path.join(place, name)):
            with open(os.path.join(place, name), "rb") as stream:
                held._put_named_file(name, stream.read())
    source.close()
    _opened[place] = gitglass.open(held, limits=gitglass.Limits.generous())


def run(argv: list[str], cwd: str) -> tuple[int, bytes, bytes]:
    """Answer one command line."""
    load(cwd)
    done = _opened[cwd].git(argv)
    return done.returncode, done.stdout, done.stderr
