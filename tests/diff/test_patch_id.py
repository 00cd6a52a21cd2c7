"""diff.patch_id: ids of patches; expectations are git 2.39.5's."""

from hypothesis import given
from hypothesis import strategies as st

from gitglass.diff.patch_id import patch_ids
from gitglass.limits import Context

ONE = b"diff --git a/a b/a\nindex 7898192..422c2b7 100644\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n a\n+b\n"
TWO = b"diff --git a/b b/b\nnew file mode 100644\nindex 0000000..f2ad6c7\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+c\n"
BINARY = b"diff --git a/l b/l\nindex 1111111..2222222 100644\nBinary files a/l and b/l differ\n"
COMMIT = b"commit " + b"12" * 20 + b"\n\n    words\n\n"


def ids(text: bytes, *, stable: bool = False, verbatim: bool = False, hash_name: str = "sha1") -> list[tuple[str, str]]:
    found = patch_ids(text, hash_name, stable=stable, verbatim=verbatim, ctx=Context())
    return [(made.hex(), commit.hex()) for made, commit in found]


def test_numbers_of_lines_and_blanks_do_not_count() -> None:
    moved = ONE.replace(b"@@ -1 +1,2 @@", b"@@ -7 +9,2 @@ f()").replace(b"+b", b"+ \tb ")
    assert ids(ONE) == ids(moved) and ids(ONE)[0][1] == "00" * 20
    assert ids(ONE, verbatim=True, stable=True) != ids(moved, verbatim=True, stable=True)


def test_the_order_of_files_counts_unless_it_is_stable() -> None:
    assert ids(ONE + TWO) != ids(TWO + ONE) and ids(ONE + TWO, stable=True) == ids(TWO + ONE, stable=True)


def test_a_patch_belongs_to_the_commit_named_before_it() -> None:
    assert [commit for _, commit in ids(COMMIT + ONE + COMMIT.replace(b"12", b"34") + TWO)] == ["12" * 20, "34" * 20]
    assert ids(b"12" * 20 + b" x\n" + ONE) == ids(COMMIT + ONE) and ids(COMMIT) == []
    assert len(ids(ONE + b"-- \n2.39.5\n" + TWO)) == 2


def test_of_binary_files_their_names_count() -> None:
    assert ids(BINARY) != ids(BINARY.replace(b"2222222", b"3333333"))
    assert ids(BINARY + ONE) != ids(ONE)


def test_a_missing_newline_counts_only_word_for_word() -> None:
    odd = ONE + b"\\ No newline at end of file\n"
    assert ids(odd) == ids(ONE) and ids(odd, verbatim=True) != ids(ONE, verbatim=True)


def test_the_hash_of_the_repository() -> None:
    assert len(ids(ONE, hash_name="sha256")[0][0]) == 64


PIECES = [
    ONE,
    TWO,
    BINARY,
    COMMIT,
    b"@@ -1,2 +3\n",
    b"@@ -,+\n",
    b"+x\n",
    b"\n",
    b"\0",
    b"--- x\n",
    b"\\ No newline here\n",
]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=30)), st.booleans(), st.booleans())
def test_whatever_is_read_ids_are_whole(pieces: list[bytes], stable: bool, verbatim: bool) -> None:
    assert all(len(made) == 40 for made, _ in ids(b"".join(pieces), stable=stable, verbatim=verbatim))
