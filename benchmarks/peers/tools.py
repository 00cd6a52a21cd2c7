"""The tools: how each opens a repository and answers a question. A question that a tool has no call for is not in its table.

Each library is used as its manual shows it, without tricks and without asking for more than the question needs.
"""

import os
import subprocess
from collections.abc import Callable
from typing import Any

from .questions import BY_NAME, Question

Answer = Callable[[Any, str], object]
ENVIRONMENT = {
    "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_OPTIONAL_LOCKS": "0",
    "PATH": os.environ.get("PATH", ""),
}  # fmt: skip


def filled(question: Question, path: str) -> list[str]:
    return [word.replace("{path}", path) for word in question.argv]


class Tool:
    """`open(place)` makes a handle; `ask(handle, question, path)` the answer's essence, or KeyError for none."""

    answers: dict[str, Answer]

    def version(self) -> str:
        raise NotImplementedError

    def open(self, place: str) -> Any:
        raise NotImplementedError

    def ask(self, handle: Any, question: Question, path: str) -> object:
        return self.answers[question.name](handle, path)

    def offers(self, question: Question) -> bool:
        return question.name in self.answers


class Git(Tool):
    """C git as a subprocess, the way a program calls it."""

    def version(self) -> str:
        return subprocess.run(["git", "version"], capture_output=True, check=True, text=True).stdout.split()[-1]

    def open(self, place: str) -> str:
        return place

    def ask(self, handle: str, question: Question, path: str) -> bytes:
        return self.run(handle, filled(question, path))

    def run(self, place: str, argv: list[str]) -> bytes:
        return subprocess.run(["git", *argv], cwd=place, env=ENVIRONMENT, capture_output=True, check=True).stdout

    def offers(self, question: Question) -> bool:
        return True


class Gitglass(Tool):
    """This package, by the same command lines; `warm` keeps one handle for all of them."""

    def version(self) -> str:
        import gitglass

        return gitglass.__version__

    def open(self, place: str) -> Any:
        import gitglass

        return gitglass.open(place)

    def ask(self, handle: Any, question: Question, path: str) -> bytes:
        out: bytes = handle.git(filled(question, path)).stdout
        return out

    def offers(self, question: Question) -> bool:
        return True


class Dulwich(Tool):
    """dulwich, the pure-Python library that gitglass reads objects with."""

    def __init__(self) -> None:
        self.answers = {
            "head": lambda repo, path: repo.head().decode(),
            "branch": lambda repo, path: repo.refs.follow(b"HEAD")[0][1].decode().removeprefix("refs/heads/"),
            "status": self.status,
            "log of 20": lambda repo, path: [
                entry.commit.message.split(b"\n", 1)[0].decode("utf-8", "replace")
                for entry in repo.get_walker(max_entries=20)
            ],
            "file at HEAD": self.file,
            "index": lambda repo, path: [name.decode() for name in repo.open_index()],
            "tree": self.tree,
            "tags": lambda repo, path: sorted(name.decode() for name in repo.refs.as_dict(b"refs/tags")),
            "branches": lambda repo, path: sorted(
                "refs/heads/" + name.decode() for name in repo.refs.as_dict(b"refs/heads")
            ),
            "changed files": self.changed,
            "merge base": self.base,
            "whole log": lambda repo, path: sorted(entry.commit.id.decode() for entry in repo.get_walker()),
            "count": lambda repo, path: str(sum(1 for _ in repo.get_walker())),
            "log of a path": lambda repo, path: sorted(
                entry.commit.id.decode() for entry in repo.get_walker(paths=[path.encode()])
            ),
            "log of an author": lambda repo, path: sorted(
                entry.commit.id.decode() for entry in repo.get_walker() if b"Daniel" in entry.commit.author
            ),
            "blame": self.blame,
        }

    def version(self) -> str:
        import dulwich

        return ".".join(map(str, dulwich.__version__[:3]))

    def open(self, place: str) -> Any:
        from dulwich.repo import Repo

        return Repo(place)

    @staticmethod
    def status(repo: Any, path: str) -> object:
        from dulwich import porcelain

        found = porcelain.status(repo)
        names = [" M " + name.decode() for name in found.unstaged]
        return sorted(names + ["?? " + str(name) for name in found.untracked])

    @staticmethod
    def file(repo: Any, path: str) -> object:
        from dulwich.object_store import tree_lookup_path

        _, oid = tree_lookup_path(repo.__getitem__, repo[repo.head()].tree, path.encode())
        return repo[oid].data.decode("utf-8", "replace").strip()

    @staticmethod
    def tree(repo: Any, path: str) -> object:
        from dulwich.object_store import iter_tree_contents

        return [entry.path.decode() for entry in iter_tree_contents(repo.object_store, repo[repo.head()].tree)]

    @staticmethod
    def back(repo: Any, steps: int) -> Any:
        commit = repo[repo.head()]
        for _ in range(steps):
            commit = repo[commit.parents[0]]
        return commit

    def changed(self, repo: Any, path: str) -> object:
        from dulwich.diff_tree import tree_changes

        letters = {"add": "A", "delete": "D", "modify": "M"}
        found = tree_changes(repo.object_store, self.back(repo, 50).tree, repo[repo.head()].tree)
        return [f"{letters.get(one.type, 'T')}\t{(one.new or one.old).path.decode()}" for one in found]

    def base(self, repo: Any, path: str) -> object:
        from dulwich.graph import find_merge_base

        return find_merge_base(repo, [self.back(repo, 30).id, self.back(repo, 60).id])[0].decode()

    @staticmethod
    def blame(repo: Any, path: str) -> object:
        from dulwich.annotate import annotate_lines

        found = annotate_lines(repo.object_store, repo.head(), path.encode())
        return [commit.id.decode()[:39] for (commit, _), _ in found]


class Pygit2(Tool):
    """pygit2, libgit2's Python binding."""

    def __init__(self) -> None:
        self.answers = {
            "head": lambda repo, path: str(repo.head.target),
            "branch": lambda repo, path: repo.head.shorthand,
            "status": self.status,
            "log of 20": lambda repo, path: [
                commit.message.split("\n", 1)[0] for commit, _ in zip(repo.walk(repo.head.target), range(20))
            ],
            "file at HEAD": lambda repo, path: repo.head.peel().tree[path].data.decode("utf-8", "replace").strip(),
            "index": lambda repo, path: [entry.path for entry in repo.index],
            "tree": self.tree,
            "tags": lambda repo, path: sorted(n[10:] for n in repo.references if n.startswith("refs/tags/")),
            "branches": lambda repo, path: sorted("refs/heads/" + name for name in repo.branches.local),
            "changed files": lambda repo, path: [
                f"{delta.status_char()}\t{delta.new_file.path}" for delta in self.diff(repo).deltas
            ],
            "changed lines": self.stats,
            "describe": self.describe,
            "merge base": lambda repo, path: str(
                repo.merge_base(repo.revparse_single("HEAD~30").id, repo.revparse_single("HEAD~60").id)
            ),
            "whole log": lambda repo, path: sorted(str(commit.id) for commit in repo.walk(repo.head.target)),
            "count": lambda repo, path: str(sum(1 for _ in repo.walk(repo.head.target))),
            "log of an author": lambda repo, path: sorted(
                str(commit.id)
                for commit in repo.walk(repo.head.target)
                if "Daniel" in f"{commit.author.name} <{commit.author.email}>"
            ),
            "blame": self.blame,
        }

    def version(self) -> str:
        import pygit2

        return f"{pygit2.__version__} (libgit2 {pygit2.LIBGIT2_VERSION})"

    def open(self, place: str) -> Any:
        import pygit2

        return pygit2.Repository(place)

    @staticmethod
    def status(repo: Any, path: str) -> object:
        import pygit2

        letters = {pygit2.enums.FileStatus.WT_MODIFIED: " M ", pygit2.enums.FileStatus.WT_NEW: "?? "}
        return sorted(letters.get(flags, "   ") + name for name, flags in repo.status(ignored=False).items())

    @staticmethod
    def tree(repo: Any, path: str) -> object:
        found: list[str] = []
        todo: list[tuple[str, Any]] = [("", repo.head.peel().tree)]
        while todo:
            prefix, tree = todo.pop()
            for entry in tree:
                if entry.type_str == "tree":
                    todo.append((f"{prefix}{entry.name}/", entry))
                else:
                    found.append(prefix + entry.name)
        return sorted(found, key=os.fsencode)

    @staticmethod
    def diff(repo: Any) -> Any:
        return repo.diff("HEAD~50", "HEAD")

    def stats(self, repo: Any, path: str) -> object:
        found = self.diff(repo).stats
        return [found.files_changed, found.insertions, found.deletions]

    @staticmethod
    def describe(repo: Any, path: str) -> object:
        import pygit2

        return repo.describe(describe_strategy=pygit2.enums.DescribeStrategy.TAGS)

    @staticmethod
    def blame(repo: Any, path: str) -> object:
        found = repo.blame(path)
        return [str(hunk.final_commit_id)[:39] for hunk in found for _ in range(hunk.lines_in_hunk)]


class GitPython(Tool):
    """GitPython: objects over a `git` subprocess."""

    def __init__(self) -> None:
        self.answers = {
            "head": lambda repo, path: repo.head.commit.hexsha,
            "branch": lambda repo, path: repo.active_branch.name,
            "status": lambda repo, path: sorted(
                [" M " + one.a_path for one in repo.index.diff(None)] + ["?? " + name for name in repo.untracked_files]
            ),
            "log of 20": lambda repo, path: [str(commit.summary) for commit in repo.iter_commits(max_count=20)],
            "file at HEAD": lambda repo, path: (
                (repo.head.commit.tree / path).data_stream.read().decode("utf-8", "replace").strip()
            ),
            "index": lambda repo, path: sorted((name for name, _ in repo.index.entries), key=os.fsencode),
            "tree": lambda repo, path: sorted(
                (item.path for item in repo.head.commit.tree.traverse() if item.type != "tree"), key=os.fsencode
            ),
            "tags": lambda repo, path: sorted(tag.name for tag in repo.tags),
            "branches": lambda repo, path: sorted(head.path for head in repo.heads),
            "merge base": lambda repo, path: repo.merge_base("HEAD~30", "HEAD~60")[0].hexsha,
            "whole log": lambda repo, path: sorted(commit.hexsha for commit in repo.iter_commits()),
            "count": lambda repo, path: str(repo.head.commit.count()),
            "log of a path": lambda repo, path: sorted(commit.hexsha for commit in repo.iter_commits(paths=path)),
            "log of an author": lambda repo, path: sorted(
                commit.hexsha for commit in repo.iter_commits(author="Daniel")
            ),
            "blame": lambda repo, path: [commit.hexsha[:39] for commit, rows in repo.blame("HEAD", path) for _ in rows],
        }

    def version(self) -> str:
        import git

        return str(git.__version__)

    def open(self, place: str) -> Any:
        import git

        return git.Repo(place)


TOOLS: dict[str, type[Tool]] = {
    "git": Git, "gitglass": Gitglass, "gitglass warm": Gitglass, "pygit2": Pygit2, "dulwich": Dulwich, "GitPython": GitPython,
}  # fmt: skip
assert all(name in BY_NAME for tool in (Dulwich, Pygit2, GitPython) for name in tool().answers)
