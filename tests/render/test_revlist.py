"""Sizes with units, as git rev-list --disk-usage=human writes them."""

import pytest

from gitglass.render.revlist import human_size


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, b"0 bytes"), (1, b"1 byte"), (1024, b"1024 bytes"), (1025, b"1.00 KiB"), (25272, b"24.68 KiB"),
     (1 << 20, b"1024.00 KiB"), ((1 << 20) + 1, b"1.00 MiB"), (3 << 30, b"3.00 GiB"), ((1 << 30) * 5 // 2, b"2.49 GiB")],
)  # fmt: skip
def test_human_size(size: int, words: bytes) -> None:
    assert human_size(size) == words
