"""What the user calls the git directory: with the links of $PWD or of GIT_DIR, where git has not resolved them."""

from pathlib import Path

import pytest

from gitglass.disk.jail import Jail
from gitglass.repo.discover import Where, discover
from gitglass.repo.named import named_git_dir


@pytest.mark.parametrize(
    ("cwd", "shell", "git_dir", "work_tree", "wanted"),
    [
        ("real/r", "link/r", None, None, "link/r/.git"), ("real/r", None, None, None, "real/r/.git"),
        ("real/r", "real", None, None, "real/r/.git"), ("real/r/sub", "link/r/sub", None, None, "real/r/.git"),
        ("real/r/.git", "link/r/.git", None, None, "link/r/.git"), (".", None, "link/r/.git", None, "./link/r/.git"),
        ("real/r/sub", "link/r/sub", "../.git", None, "link/r/sub/../.git"),
        ("real/r/sub", "link/r/sub", "../.git", "..", "real/r/.git"),
    ],
)  # fmt: skip
def test_names(
    tmp_path: Path, cwd: str, shell: str | None, git_dir: str | None, work_tree: str | None, wanted: str
) -> None:
    for name in ("objects", "refs"):
        (tmp_path / "real" / "r" / ".git" / name).mkdir(parents=True)
    (tmp_path / "real" / "r" / "sub").mkdir()
    (tmp_path / "real" / "r" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "link").symlink_to("real")
    jail, front = Jail(b"/"), bytes(tmp_path) + b"/"
    where = Where(
        cwd=front + cwd.encode(),
        shell_cwd=None if shell is None else front + shell.encode(),
        git_dir=None if git_dir is None else git_dir.encode(),
        work_tree=None if work_tree is None else work_tree.encode(),
    )
    named = named_git_dir(discover(where, jail=jail), where, jail)
    assert named.replace(b"/./", b"/") == (front + wanted.encode()).replace(b"/./", b"/")
