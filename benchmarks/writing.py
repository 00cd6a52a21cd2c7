"""Everyday writes in process, plan and verification included, against a `git` subprocess that does the same.

    python benchmarks/writing.py --repo DIR [--rounds 15] [--only commit,add,switch,merge,update,push,fetch]
                                 [--fetched DIR] [--work DIR] [--profile]

`commit` of one changed file, `add` of 100 changed files, `switch` between two commits, `merge` of a branch of 40 files
into one that is `--apart` first parents ahead, `update` of that branch from the other, `push` of one commit to a bare
repository beside, `fetch` of all of `--fetched` (default: DIR) from dulwich's server on loopback.

Both sides have a copy of their own; every round has each of them do the same once (which goes first alternates), and the
medians of the rounds' ratios are reported: of processor time (git's with all that it starts; a server's is neither's), which
does not depend on load, and of the clock. After each round names of commit and index tree, refs and status are compared. git
pays for its start, as an agent that spawns it does; ours begins with `gitglass.open`.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import gitglass
from gitglass.agent.commandline import parse_command
from gitglass.limits import Context, Limits
from gitglass.mutate.grant import ALL_EFFECTS, Identity, WriteGrant, WriteLimits
from gitglass.mutate.writer import Writer, approve
from gitglass.request.mutations import Mutation

NAME, MAIL = "A U Thor", "author@example.com"
FILES, SIDE = 100, 20
START = 1_900_000_000  # later than the commits that are there: git walks newest first


def git(repo: Path, argv: list[str], moment: int) -> bytes:
    """git's output."""
    date = f"{moment} +0000"
    env = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_MERGE_AUTOEDIT": "no",
    }  # fmt: skip
    return subprocess.run(["git", *argv], cwd=repo, env=env, capture_output=True, check=True).stdout


def grant(moment: int) -> WriteGrant:
    """All that the rows need."""
    limits = WriteLimits(timeout=600, network_timeout=600, total_bytes=1 << 30)
    return WriteGrant(identity=Identity(NAME, MAIL), clock=lambda: moment, zone=0, refs=("*",), remotes=("*",),
                      effects=ALL_EFFECTS, plain_http=True, limits=limits)  # fmt: skip


def ours(repo: Path, argv: list[str], moment: int) -> bytes:
    """Ours, from the opening of the repository to the fresh reader's word that all is as planned."""
    handle = gitglass.open(repo)
    writer = Writer(handle, grant(moment))
    with Context(Limits()) as ctx:
        request = parse_command(argv, handle.store, ctx).request
    assert isinstance(request, Mutation)
    plan = writer.plan(request)
    result = writer.apply(plan, approve(plan, "benchmark"))
    assert result.verified and not result.answer.status, result
    return result.answer.out


Round = Callable[[Path, int], list[str]]


def _commit(repo: Path, number: int) -> list[str]:
    name = _listed(repo)[0]
    with (repo / name).open("ab") as stream:
        stream.write(b"line %d\n" % number)
    git(repo, ["add", "--", name], START)
    return ["commit", "-m", f"change {number}"]


def _add(repo: Path, number: int) -> list[str]:
    for name in _listed(repo)[:FILES]:
        with (repo / name).open("ab") as stream:
            stream.write(b"line %d\n" % number)
    return ["add", "."]


def _switch(repo: Path, number: int) -> list[str]:
    return ["switch", "-q", "--detach", "one" if number % 2 else "two"]


def _merge(repo: Path, number: int) -> list[str]:
    git(repo, ["reset", "-q", "--hard", "two"], START)
    return ["merge", "-q", "-m", f"merge {number}", "side"]


def _update(repo: Path, number: int) -> list[str]:
    git(repo, ["reset", "-q", "--hard", "side"], START)
    return ["merge", "-q", "-m", f"merge {number}", "two"]


def _push(repo: Path, number: int) -> list[str]:
    git(repo, ["commit", "-q", "--allow-empty", "-m", f"change {number}"], START + number)
    return ["push", "-q", str(repo.with_suffix(".bare")), "HEAD:refs/heads/pushed"]


def _fetch(repo: Path, number: int) -> list[str]:
    """All of it, into a repository that is empty again each time."""
    url = git(repo, ["config", "remote.origin.url"], START).decode().strip()
    shutil.rmtree(repo)
    _empty(repo, url)
    return ["fetch", "-q", "origin"]


ROWS: dict[str, Round] = {
    "commit": _commit, "add": _add, "switch": _switch, "merge": _merge, "update": _update, "push": _push, "fetch": _fetch,
}  # fmt: skip


def _listed(repo: Path) -> list[str]:
    rows = [line.split("\t") for line in git(repo, ["ls-files", "-s"], START).decode().splitlines()]
    return [name for mode, name in rows if mode.startswith("100644")]


def _copy(name: str, source: Path, place: Path, apart: int, url: str) -> Path:
    """A copy with what the row of that name needs: two tags to switch between, a branch beside, a repository to push to."""
    shutil.rmtree(place, ignore_errors=True)
    if name == "fetch":
        return _empty(place, url)
    subprocess.run(["cp", "-a", str(source), str(place)], check=True)
    git(place, ["tag", "two"], START)
    git(place, ["tag", "one", f"HEAD~{apart}"], START)
    git(place, ["update-index", "-q", "--refresh"], START)
    if name in ("merge", "update"):
        _make_side(place)
    if name == "push":
        bare = place.with_suffix(".bare")
        shutil.rmtree(bare, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", "--bare", "--no-hardlinks", str(source), str(bare)], check=True)
    return place


def _empty(place: Path, url: str) -> Path:
    place.mkdir(parents=True)
    git(place, ["init", "-q"], START)
    git(place, ["remote", "add", "origin", url], START)
    return place


def _make_side(repo: Path) -> None:
    """A branch from the older tag with changes in files that the newer one changed too, and as many others."""
    git(repo, ["checkout", "-q", "-b", "side", "one"], START)
    changed = (
        git(repo, ["diff", "--name-only", "--no-renames", "--diff-filter=M", "one", "two"], START).decode().split("\n")
    )
    regular = set(_listed(repo))
    both = [name for name in changed if name in regular][:SIDE]
    rest = sorted(regular - set(changed))
    for name in both + rest[:: len(rest) // SIDE][:SIDE]:
        path = repo / name
        path.write_bytes(b"one more line\n" + path.read_bytes())
    git(repo, ["commit", "-q", "-a", "-m", "side"], START)
    git(repo, ["tag", "side-tip"], START)
    git(repo, ["checkout", "-q", "--detach", "two"], START)


def serve(bare: Path) -> None:
    """dulwich's smart HTTP server on loopback until it is ended; its port is the first line that it prints."""
    from dulwich.repo import Repo
    from dulwich.server import BackendRepo, DictBackend
    from dulwich.web import make_wsgi_chain

    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    backend: dict[str, BackendRepo] = {"/": Repo(str(bare))}
    app = make_wsgi_chain(DictBackend(backend))
    server = make_server("127.0.0.1", 0, app, server_class=WSGIServer, handler_class=Quiet)
    print(server.server_port, flush=True)
    server.serve_forever()


@contextmanager
def _served(name: str, fetched: Path, work: Path) -> Iterator[str]:
    """The address of a server of its own process; "" for a row that needs none."""
    if name != "fetch":
        yield ""
        return
    bare = work / "served.git"
    shutil.rmtree(bare, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--bare", "--no-hardlinks", str(fetched), str(bare)], check=True)
    with subprocess.Popen([sys.executable, __file__, "--serve", str(bare)], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.terminate()


@dataclass
class Spent:
    """Seconds of one call."""

    clock: float
    processor: float


def _spent(call: Callable[[Path, list[str], int], bytes], repo: Path, argv: list[str], moment: int) -> Spent:
    def processor() -> float:
        usages = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    clock, before = time.perf_counter(), processor()
    call(repo, argv, moment)
    return Spent(time.perf_counter() - clock, processor() - before)


def _check(name: str, number: int, theirs: Path, mine: Path) -> None:
    """Raise where the two copies are not in the same state."""
    questions = [["for-each-ref"], ["status", "--porcelain"]]
    if name != "fetch":
        questions += [["rev-parse", "HEAD"], ["write-tree"]]
    for question in questions:
        assert git(theirs, question, 0) == git(mine, question, 0), (name, number, question)
    if name == "push":
        tips = [git(repo.with_suffix(".bare"), ["rev-parse", "refs/heads/pushed"], START) for repo in (theirs, mine)]
        assert tips[0] == tips[1], (number, tips)


def measure(name: str, source: Path, work: Path, rounds: int, apart: int, url: str) -> list[tuple[Spent, Spent]]:
    """What git and we spent, round by round."""
    theirs, mine = (_copy(name, source, work / one, apart, url) for one in ("git", "ours"))
    pairs: list[tuple[Spent, Spent]] = []
    for number in range(rounds + 1):
        moment = START + number
        words = [ROWS[name](repo, number) for repo in (theirs, mine)]
        time.sleep(1.1)  # nothing is as young as the index
        both: dict[str, Spent] = {}
        sides = [("git", git, theirs, words[0]), ("ours", ours, mine, words[1])]
        for side, call, repo, argv in sides if number % 2 else reversed(sides):
            both[side] = _spent(call, repo, argv, moment)
        _check(name, number, theirs, mine)
        if number:
            pairs.append((both["git"], both["ours"]))
    return pairs


def report(name: str, pairs: list[tuple[Spent, Spent]]) -> str:
    """A line: medians of the ratios, and of milliseconds."""
    parts = [f"{name:<8}"]
    for what in ("processor", "clock"):
        both = [(getattr(theirs, what), getattr(mine, what)) for theirs, mine in pairs]
        ratio = statistics.median(mine / theirs for theirs, mine in both)
        theirs, mine = (1000 * statistics.median(pair[at] for pair in both) for at in (0, 1))
        parts.append(f"{what} {ratio:5.2f} times git's subprocess (git {theirs:.0f} ms, ours {mine:.0f} ms)")
    return "  ".join(parts)


def profile(name: str, source: Path, work: Path, apart: int, url: str, order: str) -> None:
    """Where our time goes."""
    repo = _copy(name, source, work / "ours", apart, url)
    watch = cProfile.Profile()
    for number in range(6):
        argv = ROWS[name](repo, number)
        time.sleep(1.1)
        if not number:
            ours(repo, argv, START)
            continue
        watch.runcall(ours, repo, argv, START + number)
    pstats.Stats(watch).sort_stats(order).print_stats(90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--fetched", type=Path, help="what is fetched (default: --repo)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--apart", type=int, default=50, help="first parents between the two commits")
    parser.add_argument("--work", type=Path, default=Path("/tmp/writing"))
    parser.add_argument("--only", default=",".join(ROWS))
    parser.add_argument("--profile", metavar="ORDER", nargs="?", const="cumulative", help="cProfile instead of figures")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        return serve(options.serve)
    if options.repo is None:
        parser.error("--repo is needed")
    options.work.mkdir(parents=True, exist_ok=True)
    for name in options.only.split(","):
        with _served(name, options.fetched or options.repo, options.work) as url:
            if options.profile:
                profile(name, options.repo, options.work, options.apart, url, options.profile)
                continue
            pairs = measure(name, options.repo, options.work, options.rounds, options.apart, url)
            print(report(name, pairs), flush=True)


if __name__ == "__main__":
    main()
