"""Shares of directories."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.changes import Change, Filespec
from gitglass.diff.spec import DiffSpec, Dirstat
from gitglass.render.diff.dirstat import _gather, dirstat


def shares(damages, **options):
    spec = DiffSpec(dirstat=Dirstat(**options))
    total = sum(damage for _, damage in damages)
    names, weights = zip(*sorted(damages), strict=True)
    return _gather(list(names), list(weights), total, spec)


def test_a_directory_shown_takes_its_share_away():
    damages = [(b"a/b/x", 50), (b"a/b/y", 20), (b"a/z", 20), (b"top", 10)]
    assert shares(damages) == [(700, b"a/b/"), (200, b"a/")]
    assert shares(damages, cumulative=True) == [(700, b"a/b/"), (900, b"a/")]


def test_a_directory_with_one_directory_in_it_says_nothing():
    assert shares([(b"a/b/x", 1), (b"a/b/y", 1)]) == [(1000, b"a/b/")]


def test_what_is_too_little_goes_to_the_parent():
    damages = [(b"a/b/x", 1), (b"a/c/x", 1), (b"d/x", 98)]
    assert shares(damages) == [(980, b"d/")]
    assert shares(damages, permille=20) == [(20, b"a/"), (980, b"d/")]


def gather(damages, total, spec, base=b""):
    """The same, recursively."""
    shown, changes, sources = [], 0, 0
    while damages and damages[0][0].startswith(base):
        name, damage = damages[0]
        slash = name.find(b"/", len(base))
        if slash >= 0:
            inner, more = gather(damages, total, spec, name[: slash + 1])
            shown += more
            changes += inner
            sources += 1
        else:
            damages.pop(0)
            changes += damage
            sources += 2
    if base and sources != 1 and changes:
        permille = changes * 1000 // total
        if permille >= spec.dirstat.permille:
            shown.append((permille, base))
            if not spec.dirstat.cumulative:
                return 0, shown
    return changes, shown


PARTS = st.lists(st.sampled_from([b"a", b"b", b"a.c"]), min_size=1, max_size=4).map(b"/".join)


@given(st.dictionaries(PARTS, st.integers(0, 9), max_size=8), st.booleans(), st.integers(0, 500))
def test_equals_the_recursive_form(damages, cumulative, permille):
    damages = sorted(damages.items())
    total = sum(damage for _, damage in damages)
    if total:
        spec = DiffSpec(dirstat=Dirstat(cumulative=cumulative, permille=permille))
        names, weights = zip(*damages, strict=True)
        assert _gather(list(names), list(weights), total, spec) == gather(list(damages), total, spec)[1]


def test_sizes_that_are_looked_up_together(contents, ctx, monkeypatch):
    """They count as those that are asked for one by one; -1 is asked for."""
    blobs = [contents.odb.add(b"blob", b"x" * size) for size in (0, 1, 20, 300)]
    changes = [
        Change("A", Filespec(b"%d/f" % nth), Filespec(b"%d/f" % nth, 0o100644, oid)) for nth, oid in enumerate(blobs)
    ]
    changes += [Change("D", Filespec(b"0/g", 0o100644, blobs[2]), Filespec(b"0/g"))]
    spec = DiffSpec(dirstat=Dirstat(permille=0))
    want = list(dirstat(changes, contents, spec, ctx=ctx))
    assert want == [b"   6.1% 0/\n", b"   0.2% 1/\n", b"   5.8% 2/\n", b"  87.7% 3/\n"]
    for some in ([0, 1, 20, 300, -1], [-1, 1, -1, 300, -1]):
        monkeypatch.setattr(type(contents), "sizes", lambda self, sides, some=some: some)
        assert list(dirstat(changes, contents, spec, ctx=ctx)) == want


def test_of_a_directory_no_content_is_read(contents, ctx):
    """With -t there are directories among the changes: each counts as one byte, as git reads none of them."""
    tree, blob = 0o040000, 0o100644
    old, new = (contents.odb.add(b"blob", text) for text in (b"one\n" * 3, b"two\n" * 3))
    changes = [
        Change("M", Filespec(b"d", tree, b"\1" * 20), Filespec(b"d", tree, b"\2" * 20)),
        Change("M", Filespec(b"d/f", blob, old), Filespec(b"d/f", blob, new)),
    ]
    spec = DiffSpec(dirstat=Dirstat(permille=0))
    assert list(dirstat(changes, contents, spec, ctx=ctx)) == [b"  96.0% d/\n"]  # 24 of 25
