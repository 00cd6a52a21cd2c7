"""What was named, seen from its sides."""

from gitglass.revs.tip import Tip, Tips

ONE, TWO, BLOB = b"\1" * 20, b"\2" * 20, b"\3" * 20


def test_sides() -> None:
    blob = Tip(BLOB, None, b"HEAD:x", kind=b"blob")
    named = Tips((Tip(ONE, ONE, b"a", left=True), Tip(TWO, TWO, b"^b", exclude=True), blob))
    assert named.include == [ONE]
    assert named.exclude == [TWO]
    assert named.left == {ONE}
    assert named.objects == [blob]


def test_a_tag_is_an_object_with_its_commit_behind_it() -> None:
    tag = Tip(TWO, ONE, b"v1", kind=b"tag")
    assert (Tips((tag,)).include, Tips((tag,)).objects) == ([ONE], [tag])
