"""operations/message.py: how messages are cleaned up, as git 2.39 does it. More of it is in test_twins."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, run

import gitglass

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = empty(tmp_path / "repo", bare=False)
    commit(repo, "one")
    return repo


def message_of(repo: Path, name: str = "HEAD", kind: str = "commit") -> bytes:
    return gitglass.git(["cat-file", kind, name], cwd=repo).stdout.partition(b"\n\n")[2]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("a\f\n\nb", b"a\f\n\nb\n"), ("\f\n\nb", b"\f\n\nb\n"), ("\f", b"\f\n"),
        ("a \v \r\n\f\n\n\nb\t\v\f \n \r \n \n c", b"a \v\n\f\n\nb\t\v\f\n\n c\n"),
    ],
)  # fmt: skip
def test_form_feed_and_vertical_tab_are_no_white_space(repo: Path, given: str, written: bytes) -> None:
    run(repo, "commit", "-q", "--allow-empty", "-m", given)
    assert message_of(repo) == written
    logged = (repo / ".git/logs/HEAD").read_bytes().split(b"\n")[-2].partition(b"\t")[2]
    assert logged == b"commit: " + written.partition(b"\n")[0]
    run(repo, "tag", "-m", given, "made")
    assert message_of(repo, "made", "tag") == written


@pytest.mark.parametrize(
    ("mark", "given", "written"),
    [
        (None, "# c\ntext\n#\n # x\n\n\n\nk  ", b"text\n # x\n\nk\n"), (None, "#only", b""),
        (";", "# c\ntext\n; t", b"# c\ntext\n"), ("auto", "# c\ntext\n; t", b"text\n; t\n"),
    ],
)  # fmt: skip
def test_the_message_of_a_tag_has_no_comments(repo: Path, mark: str | None, given: str, written: bytes) -> None:
    """There is no setting for it in git 2.39: `tag.cleanup` says nothing."""
    with (repo / ".git/config").open("a") as config:
        config.write("[tag]\n\tcleanup = verbatim\n" + ("" if mark is None else f'[core]\n\tcommentChar = "{mark}"\n'))
    run(repo, "tag", "-m", given, "made")
    assert message_of(repo, "made", "tag") == written


@pytest.mark.parametrize(
    ("given", "trailers", "written"),
    [
        ("s\n\nA: b\n#c\nC: d", ["K: v"], b"s\n\nA: b\nC: d\nK: v\n"), ("s\n\n#c\nA: b", ["K: v"], b"s\n\nA: b\nK: v\n"),
        ("s\n\nA: b\n#c\n\n# x", ["K: v"], b"s\n\nA: b\nK: v\n#c\n\n# x\n"),
        ("s", ["a b: c"], b"s\n\na b: c:\n"), ("s", ["a b=c"], b"s\n\na b=c:\n"), ("s", [" ab:c"], b"s\n\nab:c:\n"),
        ("s", ["a : c"], b"s\n\na: c\n"), ("s", ["a b:"], b"s\n\na b:\n"), ("s", ["a:b=c"], b"s\n\na: b=c\n"),
        ("s", ["a b:c", "a: c"], b"s\n\na b:c:\na: c\n"),
    ],
)  # fmt: skip
def test_trailers_are_added_to_those_that_are_there(
    repo: Path, given: str, trailers: list[str], written: bytes
) -> None:
    """Comments among them go, and what is no token before a separator is a token as a whole."""
    words = [word for trailer in trailers for word in ("--trailer", trailer)]
    run(repo, "commit", "-q", "--allow-empty", "-m", given, *words)
    assert message_of(repo) == written
