"""Annotated tags: where their message comes from, and whether they are signed."""

from pathlib import Path

import pytest
from tests.support.peers import commit, empty, refs, run, said

import gitglass

pytestmark = pytest.mark.writes


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = empty(tmp_path / "repo", bare=False)
    commit(place, "one")
    return place


def configured(repo: Path, *settings: str) -> None:
    with (repo / ".git/config").open("a") as config:
        config.write("[tag]\n" + "".join(f"\t{setting} = true\n" for setting in settings))


def message_of(repo: Path, tag: str) -> str:
    return gitglass.git(["cat-file", "tag", tag], cwd=repo, text=True).stdout.partition("\n\n")[2]


#: which words ask for a signature, as observed with git 2.39.5 and a gpg that fails
@pytest.mark.parametrize(
    "settings, words, signs",
    [
        (["gpgSign"], ["-m", "x"], "tag.gpgSign"),
        (["gpgSign"], ["-a", "-m", "x"], "tag.gpgSign"),
        (["gpgSign"], ["--no-sign", "-m", "x"], ""),
        (["gpgSign"], ["-a", "--no-sign", "-m", "x"], ""),
        (["forceSignAnnotated"], ["-m", "x"], "tag.forceSignAnnotated"),
        (["forceSignAnnotated"], ["--no-sign", "-m", "x"], "tag.forceSignAnnotated"),
        (["forceSignAnnotated"], ["-a", "-m", "x"], ""),
        (["forceSignAnnotated"], [], ""),
        (["forceSignAnnotated", "gpgSign"], ["--no-sign", "-m", "x"], "tag.forceSignAnnotated"),
        (["forceSignAnnotated", "gpgSign"], ["-a", "-m", "x"], "tag.gpgSign"),
    ],
    ids=str,
)
def test_what_has_a_tag_signed(repo: Path, settings: list[str], words: list[str], signs: str) -> None:
    configured(repo, *settings)
    status, _, err = said(repo, "tag", *words, "t")
    assert err == (f"fatal: {signs} is set, and no signer is granted\n" if signs else "")
    assert (status, "refs/tags/t" in refs(repo)) == ((128, False) if signs else (0, True))


@pytest.mark.parametrize(
    "words, message",
    [
        ([], "head\n\nbody\n"),
        (["--cleanup=strip"], "head\n\nbody\n"),
        (["--cleanup=whitespace"], "head\n\n# note\nbody\n"),
        (["--cleanup=verbatim"], "\nhead\n\n\n# note\nbody  \n\n"),
    ],
    ids=str,
)
def test_the_message_is_that_of_a_file(repo: Path, words: list[str], message: str) -> None:
    (repo / "words").write_text("\nhead\n\n\n# note\nbody  \n\n")
    run(repo, "tag", *words, "-F", "words", "t")
    assert message_of(repo, "t") == message


def test_words_of_several_options_have_an_empty_line_between_them(repo: Path) -> None:
    run(repo, "tag", "--cleanup=verbatim", "-m", "", "-m", "a\n\n", "-m", "b", "t")
    assert message_of(repo, "t") == "a\n\n\n\nb"


def test_what_git_says_of_messages_that_there_are_not(repo: Path) -> None:
    both = "fatal: options '-F' and '-m' cannot be used together\n"
    assert said(repo, "tag", "-F", "f", "-m", "x", "t") == (128, "", both)
    missing = "fatal: could not open or read 'nowhere': No such file or directory\n"
    assert said(repo, "tag", "-F", "nowhere", "t") == (128, "", missing)
    assert said(repo, "tag", "--cleanup=odd", "-m", "x", "t") == (128, "", "fatal: Invalid cleanup mode odd\n")
    assert "refs/tags/t" not in refs(repo)
