"""plans/refs.py: from the options of a listing of refs to rows."""

import re
from typing import Any

import pytest

import gitglass
from gitglass.commands.for_each_ref import ForEachRefRequest
from gitglass.errors import BadRequest, GitError, InvalidArgs, MissingObject
from gitglass.limits import Context
from gitglass.plans.refs import Listing, check_format, collect, lines, listing, ref_spec, rows
from gitglass.render.refs.format import quote_perl
from gitglass.repo.store import Store


@pytest.fixture
def oids(repo: Any) -> dict[str, str]:
    """main (of the year 1970), a blob and a missing object as refs."""
    repo.add("file", b"1\n")
    made = {"main": repo.commit(), "blob": repo.put("blob", b"x"), "gone": bytes(19) + b"\1"}
    for name, oid in made.items():
        (repo.git / "refs/heads" / name).write_text(oid.hex() + "\n")
    return {name: oid.hex() for name, oid in made.items()}


@pytest.fixture
def store(repo: Any, oids: dict[str, str]) -> Store:
    repo.config('[branch "blob"]\n\tremote = .\n\tmerge = refs/heads/main\n')
    made: Store = repo.store()
    return made


def listed(store: Store, ctx: Context, *keys: str) -> Listing:
    return listing(store, ref_spec(store, ForEachRefRequest(), [], ctx=ctx), list(keys), ctx=ctx)


def test_refs_in_order_by_a_format(store: Store, ctx: Context) -> None:
    found = listed(store, ctx, "-refname")
    names = [b"main", b"gone", b"blob"]
    assert rows(found, "%(refname:short)", color=False) == names
    assert b"".join(lines(found, "<%(refname:short)>", color=False)) == b"<main>\n<gone>\n<blob>\n"
    assert b"".join(lines(found, b"%(refname:short)", color=False, quote=quote_perl)) == b"'main'\n'gone'\n'blob'\n"


def test_a_faulty_ref_is_an_error_before_any_line(store: Store, ctx: Context, oids: dict[str, str]) -> None:
    out = lines(listed(store, ctx, "-refname"), "%(objecttype)", color=False)
    with pytest.raises(MissingObject, match=f"missing object {oids['gone']} for refs/heads/gone"):
        next(out)


@pytest.mark.parametrize("name", ["raw", "*raw"])
def test_contents_are_quoted_for_perl_only(store: Store, ctx: Context, name: str) -> None:
    with pytest.raises(BadRequest, match=re.escape(f"--format={name} cannot be used with --python, --shell, --tcl")):
        next(lines(listed(store, ctx), f"%({name})", color=False, quote=lambda value: value))


def test_typed_rows(store: Store, ctx: Context, oids: dict[str, str]) -> None:
    result = collect(listed(store, ctx, "refname"), ForEachRefRequest())
    blob, gone, main = result.refs
    assert result.total == 3 and (blob.name, blob.kind, blob.subject, blob.time) == (
        "refs/heads/blob",
        "blob",
        None,
        None,
    )
    assert (gone.oid, gone.kind, gone.subject) == (oids["gone"], None, None)
    assert (main.oid, main.kind, main.subject, main.time) == (oids["main"], "commit", "c", 1)
    assert (blob.upstream, main.upstream) == ("refs/heads/main", None)


def test_a_tag_that_nobody_made_has_no_time(repo: Any, oids: dict[str, str], ctx: Context) -> None:
    tag = repo.put("tag", f"object {oids['main']}\ntype commit\ntag t\n\nwords\n".encode())
    (repo.git / "refs/heads/gone").write_text(tag.hex() + "\n")
    row = collect(listed(repo.store(), ctx, "refname"), ForEachRefRequest()).refs[1]
    assert (row.kind, row.subject, row.time) == ("tag", "words", None)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"contains": ["nothing"]}, InvalidArgs, "malformed object name nothing"),
        ({"contains": ["blob"]}, InvalidArgs, "is a blob, not a commit\nerror: no such commit blob"),
        ({"no_contains": ["gone"]}, InvalidArgs, "no such commit gone"),
        ({"merged": ["nothing"]}, BadRequest, "malformed object name nothing"),
        ({"merged": ["blob"]}, InvalidArgs, "option `merged' must point to a commit"),
        ({"no_merged": ["blob"]}, InvalidArgs, "option `no-merged' must point to a commit"),
    ],
)
def test_commits_that_are_none(
    store: Store, ctx: Context, asked: dict[str, Any], error: type[GitError], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)):
        ref_spec(store, ForEachRefRequest(**asked), [], ctx=ctx)


def test_the_options_of_a_listing_resolved(store: Store, ctx: Context, oids: dict[str, str]) -> None:
    request = ForEachRefRequest(contains=["main"], no_merged=["HEAD"], ignore_case=True)
    spec = ref_spec(store, request, ["blob"], ctx=ctx)
    main, blob = bytes.fromhex(oids["main"]), bytes.fromhex(oids["blob"])
    assert (spec.contains, spec.no_contains, spec.merged, spec.no_merged) == ([main], [], [], [main])
    assert spec.points_at == [blob] and spec.ignore_case
    with pytest.raises(InvalidArgs, match="malformed object name 'nothing'"):
        ref_spec(store, request, ["nothing"], ctx=ctx)


def test_a_bad_format_is_complained_of_twice_or_once(store: Store) -> None:
    ctx = Context(now=0)
    found = listed(store, ctx)
    with pytest.raises(BadRequest, match="unable to parse format string"):
        check_format("%(nothing", found, False)
    assert b"".join(ctx.stderr).startswith(b"error: ")
    with pytest.raises(GitError) as caught:
        check_format("%(nothing", found, False, dies=False)
    assert "unable to parse" not in caught.value.message
    check_format(None, found, False)


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("for-each-ref --contains=nope1 --points-at=nope2", 129, "error: malformed object name nope1"),
        ("for-each-ref --points-at=nope2 --contains=nope1", 129, "error: malformed object name 'nope2'"),
        ("branch --merged=nope1 --contains=nope2", 128, "fatal: malformed object name nope1"),
        ("branch --no-all --contains nope1", 129, "error: malformed object name nope1"),
        ("tag --contains nope1 --bogus", 129, "error: malformed object name nope1"),
        ("tag --bogus --contains nope1", 129, "error: unknown option `bogus'"),
        ("tag --merged HEAD^{tree} --bogus", 129, "error: object {tree} is a tree, not a commit"),
    ],
)
def test_objects_are_looked_for_in_the_order_of_the_words(unpack: Any, line: str, status: int, words: str) -> None:
    place = unpack("plain")
    tree = gitglass.git(["rev-parse", "HEAD^{tree}"], cwd=place).stdout.decode().strip()
    done = gitglass.git(line.split(), cwd=place)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.decode().splitlines()[0] == words.replace("{tree}", tree)
