"""rev-list --objects where tags lead to tags, blobs and trees, as git 2.39.5 answers over the same objects."""

from typing import Any

import pytest

import gitglass


@pytest.fixture
def tagged(repo: Any) -> tuple[Any, dict[str, str]]:
    """Tag `outer` leads over `inner` to the commit, `two` over `one` to a blob; a ref names that blob as well."""
    repo.add("f", b"f\n")
    oids = {"commit": repo.commit(), "tree": repo.tree(), "f": repo.put("blob", b"f\n")}
    oids["blob"] = repo.put("blob", b"loose\n")
    for name, kind, target in (
        ("inner", "commit", "commit"),
        ("outer", "tag", "inner"),
        ("one", "blob", "blob"),
        ("two", "tag", "one"),
    ):
        tag = f"object {oids[target].hex()}\ntype {kind}\ntag {name}\ntagger A <a@x> 1 +0000\n\nm\n"
        oids[name] = repo.put("tag", tag.encode())
    (repo.git / "refs/tags").mkdir()
    for name, target in (("outer", "outer"), ("two", "two"), ("light", "blob")):
        (repo.git / "refs/tags" / name).write_text(oids[target].hex() + "\n")
    repo.write_index()
    return gitglass.open(str(repo.top)), {oid.hex(): name for name, oid in oids.items()}


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["outer"], ["commit", "outer outer", "inner inner", "tree ", "f f"]),
        (["two"], ["two two", "one one", "blob "]),
        (["light"], ["blob "]),
        (["outer", "^HEAD"], ["outer outer", "inner inner"]),
        (["two", "^light"], ["two two", "one one"]),
        (["HEAD:f", "two"], ["f f", "two two", "one one", "blob "]),
        (["HEAD", "^outer"], []),
        (["--all"], ["commit", "blob ", "outer outer", "inner inner", "two two", "one one", "tree ", "f f"]),
    ],
)
def test_every_tag_is_listed_and_its_blob_has_no_name(tagged: Any, argv: list[str], expected: list[str]) -> None:
    repo, names = tagged
    done = repo.git(["rev-list", "--objects", *argv])
    assert (done.returncode, done.stderr) == (0, b"")
    assert [names[line[:40]] + line[40:] for line in done.stdout.decode().splitlines()] == expected
