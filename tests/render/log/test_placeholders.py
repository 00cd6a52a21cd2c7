"""Which formats need more of a commit than a walk knows of it."""

import pytest

from gitglass.render.log.placeholders import reads_commits


@pytest.mark.parametrize(
    "form",
    [b"", b"%H", b"%h%d", b"%H %P%n", b"100%% %+d%-D% p", b"%x41\n%Cred%H%C(auto)%d%Creset", b"%H\0%s", b"%m%S%-N"],
)
def test_names_parents_and_refs_are_known_of_a_walk(form: bytes) -> None:
    assert not reads_commits(form)


@pytest.mark.parametrize(
    "form", [b"%s", b"%H%an", b"%T", b"%ct", b"%gn", b"%e", b"%%%s", b"%<(20)%H", b"%w(9)%d", b"%q", b"%", b"%+s"]
)
def test_all_else_is_read(form: bytes) -> None:
    assert reads_commits(form)
