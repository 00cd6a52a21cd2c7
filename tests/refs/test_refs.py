"""Refs: loose over packed, symbolic, per work tree, broken, outside."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitglass import limits
from gitglass.disk.jail import Jail
from gitglass.errors import Corrupt, SandboxViolation, Timeout
from gitglass.limits import Context
from gitglass.refs import files as reffiles
from gitglass.refs.files import Packed
from gitglass.refs.names import all_well_formed, candidates, check_refname, is_per_worktree, shorten
from gitglass.refs.refs import Refs, open_refs

A, B, C = ("a" * 40, "b" * 40, "c" * 40)


def oid(digits: str) -> bytes:
    return bytes.fromhex(digits)


@pytest.fixture
def git(tmp_path: Path) -> Path:
    top = tmp_path / "r" / ".git"
    (top / "refs" / "heads").mkdir(parents=True)
    (top / "HEAD").write_text("ref: refs/heads/main\n")
    return top


def refs(git: Path, common: Path | None = None, peel: Callable[[bytes], bytes | None] | None = None) -> Refs:
    return open_refs(Jail(bytes((common or git).parent)), bytes(git), bytes(common or git), 20, peel=peel)


def put(git: Path, name: str, text: str) -> None:
    path = git / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_head_on_an_unborn_branch(git: Path) -> None:
    made = refs(git)
    assert made.head() == (b"refs/heads/main", None)
    assert made.resolve(b"HEAD") == (b"refs/heads/main", None)
    put(git, "refs/heads/main", A + "\n")
    assert made.head() == (b"refs/heads/main", oid(A))


def test_loose_over_packed_in_one_sorted_list(git: Path) -> None:
    header = "# pack-refs with: peeled fully-peeled sorted \n"
    put(git, "packed-refs", f"{header}{A} refs/heads/a\n{A} refs/heads/main\n{B} refs/tags/v1\n^{C}\n")
    put(git, "refs/heads/main", B + "\n")
    put(git, "refs/heads/main-2", C + "\n")
    put(git, "refs/heads/x/y", C + "   trailing\n")
    made = refs(git)
    assert [(n, o.hex()[0]) for n, o in made.iterate()] == [
        (b"refs/heads/a", "a"), (b"refs/heads/main", "b"), (b"refs/heads/main-2", "c"), (b"refs/heads/x/y", "c"),
        (b"refs/tags/v1", "b"),
    ]  # fmt: skip
    assert [name for name, _ in made.iterate(b"refs/tags/")] == [b"refs/tags/v1"]
    assert made.peeled(b"refs/tags/v1", oid(B)) == oid(C)
    assert made.peeled(b"refs/heads/a", oid(A)) is None
    assert made.is_packed(b"refs/heads/a") and not made.is_packed(b"refs/heads/main")
    assert made.read(b"refs/heads/nosuch") is None and made.read(b"heads/a") is None


def test_packed_refs_are_read_again_when_they_change(git: Path) -> None:
    made = refs(git)
    assert made.read(b"refs/heads/a") is None
    put(git, "packed-refs", f"{A} refs/heads/a\n")
    assert made.read(b"refs/heads/a") == oid(A)
    put(git, "packed-refs", f"{B} refs/heads/a\n{B} refs/heads/b\n")
    assert made.read(b"refs/heads/a") == oid(B)


def test_unsorted_packed_refs_are_sorted(git: Path) -> None:
    put(git, "packed-refs", f"{B} refs/tags/z\n{A} refs/heads/a\n")
    assert [name for name, _ in refs(git).iterate()] == [b"refs/heads/a", b"refs/tags/z"]


@pytest.mark.parametrize("odd", ["rubbish", "1234567 refs/heads/z", "# a remark", "", "^1234", f"^{A} and more"])
def test_a_listing_reads_to_its_end(git: Path, odd: str) -> None:
    """git's rule: what is malformed is an error of every listing that reads it, though it stands behind the last ref;
    one of a prefix ends with the first row that has another."""
    rows = f"# pack-refs with: peeled fully-peeled sorted \n{A} refs/heads/a\n"
    put(git, "packed-refs", f"{rows}{odd}\n{B} refs/heads/b\n{B} refs/remotes/o/b\n{B} refs/tags/t\n")
    complaint = f"unexpected line in .git/packed-refs: {odd}"
    for prefix in (b"refs/", b"refs/heads/"):
        with pytest.raises(Corrupt) as raised:
            refs(git).backend.listing(prefix)
        assert str(raised.value) == complaint
    assert refs(git).backend.listing(b"refs/remotes/") == [(b"refs/remotes/o/b", oid(B), None)]
    put(git, "packed-refs", f"{rows}{odd}\n")
    with pytest.raises(Corrupt) as raised:
        refs(git).backend.listing(b"refs/heads/")
    assert str(raised.value) == complaint


def test_capital_digits_of_a_packed_ref(git: Path) -> None:
    put(git, "packed-refs", f"# pack-refs with: peeled fully-peeled sorted \n{A.upper()} refs/tags/a\n^{B.upper()}\n")
    assert refs(git).backend.listing(b"refs/") == [(b"refs/tags/a", oid(A), None)]
    assert refs(git).peels() == {oid(A): oid(B)}


def test_a_line_that_is_none(git: Path) -> None:
    put(git, "packed-refs", f"{A} refs/heads/a\nrubbish\n")
    with pytest.raises(Corrupt, match=r"unexpected line in .git/packed-refs: rubbish"):
        list(refs(git).iterate())


def test_broken_dangling_and_looping(git: Path) -> None:
    put(git, "refs/heads/bad", "garbage\n")
    put(git, "refs/heads/junk", A + "x\n")
    put(git, "refs/heads/zero", "0" * 40 + "\n")
    put(git, "refs/heads/dangling", "ref: refs/heads/nowhere\n")
    put(git, "refs/heads/loop", "ref: refs/heads/loop\n")
    put(git, "refs/heads/sp ace", A + "\n")
    put(git, "refs/heads/x.lock", A + "\n")
    put(git, "refs/heads/.hidden", A + "\n")
    put(git, "refs/heads/alias", "ref:refs/heads/good\n")
    put(git, "refs/heads/good", A.upper() + "\n")
    made = refs(git)
    assert [name for name, _ in made.iterate()] == [b"refs/heads/alias", b"refs/heads/good"]
    rows = {ref.name[11:]: (ref.broken, ref.bad_name, ref.oid is None) for ref in made.entries()}
    assert rows == {
        b"alias": (False, False, False), b"good": (False, False, False), b"bad": (True, False, True),
        b"junk": (True, False, True), b"zero": (True, False, True), b"dangling": (False, False, True),
        b"loop": (False, False, True), b"sp ace": (True, True, True),
    }  # fmt: skip
    assert made.symref(b"refs/heads/alias") == b"refs/heads/good"
    assert made.lookup(b"refs/heads/bad").broken and made.lookup(b"refs/heads/loop").broken


def test_five_names_are_read_and_no_more(git: Path) -> None:
    put(git, "refs/heads/end", A + "\n")
    for name, target in zip("abcde", ["end", *"abcd"], strict=True):
        put(git, f"refs/heads/{name}", f"ref: refs/heads/{target}\n")
    made = refs(git)
    assert made.read(b"refs/heads/d") is not None
    assert made.read(b"refs/heads/e") is None
    assert [name[11:] for name, _ in made.iterate()] == [b"a", b"b", b"c", b"d", b"end"]
    assert [ref.name[11:] for ref in made.entries() if ref.oid is None] == [b"e"]


def test_old_symbolic_links(git: Path) -> None:
    put(git, "refs/heads/main", A + "\n")
    (git / "HEAD").unlink()
    os.symlink("refs/heads/main", git / "HEAD")
    os.symlink("main", git / "refs" / "heads" / "link")
    made = refs(git)
    assert made.head() == (b"refs/heads/main", oid(A))
    assert made.symref(b"refs/heads/link") is None and made.read(b"refs/heads/link") == oid(A)


def test_a_link_that_leads_outside(git: Path) -> None:
    (git.parent.parent / "secret").write_text(A + "\n")
    os.symlink("../../../../secret", git / "refs" / "heads" / "out")
    made = refs(git)
    with pytest.raises(SandboxViolation):
        made.read(b"refs/heads/out")
    assert list(made.iterate()) == [] and made.entries()[0].broken


def test_a_fifo_is_broken_not_waited_for(git: Path) -> None:
    os.mkfifo(git / "refs" / "heads" / "pipe")
    assert list(refs(git).iterate()) == []


def test_each_work_tree_has_its_own(git: Path) -> None:
    own = git / "worktrees" / "wt"
    put(git, "worktrees/wt/HEAD", "ref: refs/heads/topic\n")
    put(git, "refs/heads/topic", A + "\n")
    put(git, "refs/bisect/bad", A + "\n")
    put(own, "refs/bisect/good", B + "\n")
    made = refs(own, git)
    assert made.head() == (b"refs/heads/topic", oid(A))
    assert [name for name, _ in made.iterate()] == [b"refs/bisect/good", b"refs/heads/topic"]
    assert made.symref(b"main-worktree/HEAD") == b"refs/heads/main"
    assert refs(git).symref(b"worktrees/wt/HEAD") == b"refs/heads/topic"


def test_names_never_leave_the_git_directory(git: Path) -> None:
    made = refs(git)
    for name in (b"../x", b"/etc/passwd", b"refs/../../x", b"a//b", b"x/", b"a\0b", b""):
        assert made.read(name) is None and made.symref(name) is None


@pytest.mark.parametrize(
    "name", [b"a", b".a/b", b"a/.b", b"a..b/c", b"a/b.lock", b"a/b.", b"a/b~", b"a/@{x", b"/a/b", b"a//b"]
)
def test_names_that_are_not_well_formed(name: bytes) -> None:
    assert not check_refname(name)


def test_names_that_are() -> None:
    assert check_refname(b"refs/heads/a@b") and check_refname(b"HEAD", onelevel=True) and check_refname(b"a/@")
    assert not check_refname(b"@", onelevel=True) and check_refname(b"refs/*/x", pattern=True)
    assert is_per_worktree(b"ORIG_HEAD") and is_per_worktree(b"refs/bisect/x") and not is_per_worktree(b"refs/heads/x")


@given(st.lists(st.text("a./@{~ -lock", max_size=8), max_size=4))
def test_all_at_once_is_each_by_itself(names: list[str]) -> None:
    full = [b"refs/" + name.encode() for name in names]
    assert all_well_formed(full) == all(map(check_refname, full))


def test_shortening() -> None:
    there = {b"refs/heads/main", b"refs/tags/main", b"refs/remotes/o/HEAD", b"refs/stash"}
    exists = there.__contains__
    assert shorten(b"refs/heads/main", exists, True) == b"heads/main"
    assert shorten(b"refs/tags/main", exists, True) == b"tags/main"
    assert shorten(b"refs/tags/main", exists, False) == b"main"
    assert shorten(b"refs/heads/main", exists, False) == b"heads/main"
    assert shorten(b"refs/remotes/o/HEAD", exists, True) == b"o/HEAD"
    assert shorten(b"refs/stash", exists, True) == b"stash" and shorten(b"HEAD", exists, True) == b"HEAD"
    assert candidates(b"x")[0] == b"x" and candidates(b"x")[-1] == b"refs/remotes/x/HEAD"


def test_many_names_are_shortened_as_one_is(git: Path) -> None:
    for name in ("refs/heads/main", "refs/tags/main", "refs/heads/other"):
        put(git, name, A + "\n")
    made = refs(git)
    short = made.shortener(True)
    for name, _ in made.iterate():
        assert short(name) == shorten(name, made.exists, True)


def test_links_among_directories_end(git: Path) -> None:
    for name in "ab":
        os.symlink(".", git / "refs" / "heads" / name)
    os.symlink("../heads", git / "refs" / "heads" / "up")
    put(git, "refs/heads/main", A + "\n")
    names = [name for name, _ in refs(git).iterate()]
    assert b"refs/heads/main" in names and len(names) < 20


def test_looked_up_together_as_one_by_one(git: Path) -> None:
    put(git, "packed-refs", f"# pack-refs with: peeled fully-peeled sorted \n{A} refs/remotes/x\n{B} refs/tags/main\n")
    put(git, "refs/heads/main", A + "\n")
    put(git, "refs/remotes/main/HEAD", "ref: refs/remotes/main/gone\n")
    put(git, "refs/remotes/main/loop", "ref: refs/remotes/main/loop\n")
    put(git, "refs/tags/odd", "no ref\n")
    os.symlink("refs/heads/main", git / "refs" / "remotes" / "HEAD")
    for short in (b"HEAD", b"main", b"x", b"nothing", b"odd", b"main/loop", b"heads/main", b"remotes/main"):
        made = refs(git)
        there = [name for name in candidates(short) if made.backend.raw(name) is not None]
        assert made.lookup_each(candidates(short)) == [(name, made.lookup(name)) for name in there]
    assert refs(git).lookup_each([b"refs/remotes/HEAD"])[0][1].name == b"refs/heads/main"  # not the file it leads to


def test_head_as_it_was_found_holds_for_one_command(git: Path) -> None:
    put(git, "refs/heads/main", A + "\n")
    put(git, "refs/heads/other", B + "\n")
    made = open_refs(Jail(bytes(git.parent)), bytes(git), bytes(git), 20, head=b"ref: refs/heads/main\n")
    put(git, "HEAD", "ref: refs/heads/other\n")
    assert made.head() == (b"refs/heads/main", oid(A))
    made.backend.refresh()
    assert made.head() == (b"refs/heads/other", oid(B))
    assert made.lookup_each([b"HEAD"])[0][1].oid == oid(B)


def test_a_last_line_without_an_end(git: Path) -> None:
    """git takes no word from such a file: it is one that was cut off."""
    (git / "packed-refs").write_bytes(A.encode() + b" refs/heads/a\n" + A.encode() + b" refs/heads/main")
    with pytest.raises(Corrupt, match=r"unterminated line in \.git/packed-refs: [0-9a-f]{40} refs/heads/main"):
        refs(git).read(b"refs/heads/a")


@pytest.mark.parametrize(
    "header", [b"# pack-refs with: peeled fully-peeled sorted \n", b"# pack-refs with: peeled \n", b""]
)
@pytest.mark.parametrize("odd", [b"", b"^odd\n"])
def test_packed_refs_are_read_in_stretches(monkeypatch: pytest.MonkeyPatch, header: bytes, odd: bytes) -> None:
    """Wherever they end, also between a tag and the line that says what it leads to; the clock is looked at in each."""
    rows = [(b"refs/heads/b%03d" % at, bytes([at]) * 20, None) for at in range(60)]
    tags = [(b"refs/tags/t%03d" % at, bytes([100 + at]) * 20, bytes([200 - at]) * 20) for at in range(40)]
    lines = [b"%b %b\n" % (oid.hex().encode(), name) for name, oid, _ in rows]
    lines += [b"%b %b\n^%b\n" % (oid.hex().encode(), name, final.hex().encode()) for name, oid, final in tags]
    if b"sorted" not in header:
        lines.reverse()
    data = header + b"".join(lines) + odd
    whole = Packed(data, 20)
    want = [(name, oid, None) for name, oid, _ in [*rows, *tags]]
    finals: dict[bytes, bytes | None] = {oid: final for _, oid, final in tags}
    if b"fully" in header:
        finals.update(dict.fromkeys([oid for _, oid, _ in rows]))
    assert whole.peels() == finals
    if odd:  # what tags lead to is asked beside a listing, which complains of the line
        with pytest.raises(Corrupt, match=r"unexpected line in \.git/packed-refs: \^odd"):
            whole.items(b"refs/")
    else:
        assert whole.items(b"refs/") == want
    monkeypatch.setattr(reffiles, "_RUN", 7)
    for stretch in (1, 60, 61, 100, 1000):
        monkeypatch.setattr(limits, "_STRETCH", stretch)
        looks: list[int] = []
        cut = Packed(data, 20)
        with Context(cancelled=lambda: bool(looks.append(1))):
            assert cut.peels() == finals
            if not odd:
                assert cut.items(b"refs/") == want
                assert cut.items(b"refs/tags/t00") == [row for row in want if row[0].startswith(b"refs/tags/t00")]
        assert len(looks) >= (1 if odd else 2) * len(data) // (stretch + 200)


def test_very_many_refs_are_sorted_and_judged_in_stretches(git: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorted runs are cut where a sample of their names says so; equal names and uneven runs included."""
    monkeypatch.setattr(reffiles, "_RUN", 64)
    monkeypatch.setattr(limits, "_PIECES", 16)
    looks: list[int] = []
    monkeypatch.setattr(Context, "look", lambda self: looks.append(1) or 0.0)
    numbers = [number * 7919 % 1009 for number in range(1009)]
    names = [f"refs/heads/b{number:04}" for number in numbers] + ["refs/heads/b0000"] * 100
    put(git, "packed-refs", "".join(f"{A} {name}\n" for name in names))
    with Context():
        made = refs(git)
        assert [name.decode() for name, _, _ in made.plain()[0]] == sorted(names)
        assert made.plain()[1]
        looks.clear()
        assert len(list(made.iterate())) == 1109 and len(looks) >= 1109 // 16
        put(git, "packed-refs", "".join(f"{A} {name}\n" for name in [*names, "refs/heads/a..b"]))
        assert not refs(git).plain()[1]


def test_a_long_log_is_cut_into_lines_in_stretches(git: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(Context, "look", lambda self: looks.append(1) or 0.0)
    row = f"{A} {B} a <a@b> 1700000000 +0000\tx"
    for end in ("", "unterminated"):  # git's rule: a last line without its end is none
        put(git, "logs/HEAD", f"{row}\n" * 12_000 + end)
        with Context():
            looks.clear()
            assert refs(git).backend.log(b"HEAD") == [row.encode()] * 12_000
            assert len(looks) >= 8


def test_a_fetch_head_of_many_branches_is_read(git: Path) -> None:
    """A thousand branches are more than a loose ref may be long; the first object name counts."""
    put(git, "FETCH_HEAD", f"{A}\t\tbranch 'a' of x\n" + f"{B}\tnot-for-merge\tbranch 'b' of x\n" * 2000)
    assert refs(git).read(b"FETCH_HEAD") == oid(A)
    put(git, "FETCH_HEAD", "ref: refs/heads/" + "x" * (1 << 17))
    assert refs(git).lookup(b"FETCH_HEAD").broken
    put(git, "FETCH_HEAD", "x" * (1 << 17))
    assert refs(git).lookup(b"FETCH_HEAD").broken


def test_a_name_is_looked_for_in_long_packed_refs_with_a_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reffiles, "LARGE", 1)
    packed = Packed(f"{A} refs/heads/a\n".encode(), 20)
    with Context(limits.Limits(timeout=-1.0)), pytest.raises(Timeout):
        packed.find(b"refs/heads/b")


def test_a_first_line_without_end_is_not_cut_into_words() -> None:
    assert Packed(b"# pack-refs with: sorted " + b"x " * 99_999 + b"\n", 20).is_sorted
    assert not Packed(b"# pack-refs with: " + b"x " * 99_999 + b" sorted \n", 20).is_sorted


def test_a_listing_believes_packed_refs(git: Path) -> None:
    """`peeled` says that every tag has the line of its object; dulwich writes new ones without it."""
    for header, plain in (("peeled sorted", True), ("sorted", False), ("peeled fully-peeled sorted", False)):
        put(
            git,
            "packed-refs",
            f"# pack-refs with: {header} \n{A} refs/heads/a\n{B} refs/tags/a\n^{C}\n{A} refs/tags/b\n",
        )
        put(git, "refs/tags/c", A + "\n")
        made = open_refs(Jail(bytes(git)), bytes(git), bytes(git), 20, peel=lambda oid: b"peeled")
        names = [b"refs/tags/b", b"refs/tags/c", b"refs/heads/a", b"refs/tags/nosuch"]
        assert [name for name in names if made.backend.is_plain(name)] == ([b"refs/tags/b"] if plain else [])
        assert made.listed_peel(b"refs/tags/a", oid(B)) == made.peeled(b"refs/tags/a", oid(B)) == oid(C)
        if "fully" not in header:
            assert made.listed_peel(b"refs/tags/b", oid(A)) == (None if plain else b"peeled")
            assert made.peeled(b"refs/tags/b", oid(A)) == made.listed_peel(b"refs/tags/c", oid(A)) == b"peeled"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{A} refs/heads/a", f"unterminated line in .git/packed-refs: {A} refs/heads/a"),
        (f"{A} refs/heads/a\n{B} refs/tags/b\n^{C}", f"unexpected line in .git/packed-refs: {B} refs/tags/b"),
        (f"{A} refs/heads/a\n{B[:9]}", f"unterminated line in .git/packed-refs: {B[:9]}"),
        (f"^{A}", f"unterminated line in .git/packed-refs: ^{A}"),
    ],
)
def test_the_last_ref_must_end(git: Path, text: str, words: str) -> None:
    put(git, "packed-refs", text)
    with pytest.raises(Corrupt) as error:
        refs(git).read(b"refs/heads/x")
    assert str(error.value) == words


@pytest.mark.parametrize("header", ["#", "# pack-refs", "# Pack-refs with: peeled", "# pack-refs  with: sorted"])
def test_a_first_line_that_is_another_comment_is_fatal(header: str) -> None:
    with pytest.raises(Corrupt) as raised:
        Packed(f"{header}\n{A} refs/heads/a\n".encode(), 20)
    assert raised.value.message == f"unexpected line in .git/packed-refs: {header}"
    for right in ("# pack-refs with:\n", "# pack-refs with:x\n", "# pack-refs with: peeled sorted \n", ""):
        assert Packed(f"{right}{A} refs/heads/a\n".encode(), 20).find(b"refs/heads/a") == bytes.fromhex(A)
