"""Marks of conflicts are three, in their order, each at the beginning of a line."""

import pytest

from gitglass.workspace.marks import LABELS, has_marks


@pytest.mark.parametrize(("content", "marks"), [
    (b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", True), (b"<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n", True),
    (b"<<<<<<< a\nx\n||||||| base\nz\n=======\ny\n>>>>>>> b", True), (b"<<<<<<<<<< a\n=======\n>>>>>>> b\n", False),
    (b"=======\n<<<<<<< a\n>>>>>>> b\n", False), (b"  <<<<<<< a\n=======\n>>>>>>> b\n", False), (b"Title\n=======\n", False), (b"", False),
])  # fmt: skip
def test_marks(content: bytes, marks: bool) -> None:
    assert has_marks(content) is marks


def test_labels_are_document_4s() -> None:
    assert LABELS == ("ours (sandbox)", "theirs (incoming)")
