"""verify against git's fsck: every damage of fixtures/scripts/damages, with the answer that git gave there.

Each statement is compared once, however often git makes it, and up to where git gives up: verify goes on.
"""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import gitglass
from gitglass.fsck import rules as fsckrules

RECORDED = json.loads((Path(__file__).parents[2] / "fixtures/recorded/fsck.json").read_text())

#: what is said otherwise, and why
OTHERWISE = {
    "uppercase_name": "an object whose file is named in capitals is found by nobody who looks for it",
}


def unpack(top: Path, files: dict[str, str | None]) -> None:
    for name, data in files.items():
        path = top / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        elif data is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b85decode(data).replace(b"{top}", bytes(top)))


def said(place: Path) -> tuple[list[str], int]:
    """The lines of verify as far as git's would go, and the exit status they make."""
    lines: list[str] = []
    status = 0
    for damage in gitglass.open(place, root="/").verify():
        lines += damage.words.split("\n")
        status |= damage.status
        if damage.words.startswith("fatal: "):
            break
    return lines, 128 if status & 128 else status


@pytest.mark.parametrize("name", sorted(RECORDED["damages"]))
def test_it_says_what_git_says(name: str, tmp_path: Path) -> None:
    case: dict[str, Any] = RECORDED["damages"][name]
    unpack(tmp_path, RECORDED["base"])
    unpack(tmp_path, case["files"])
    lines, status = said(tmp_path / case["cwd"])
    answer = (case["stdout"] + case["stderr"]).replace("{top}", str(tmp_path))
    same = (set(lines), status) == (set(answer.splitlines()), case["status"])
    assert same != (name in OTHERWISE), (sorted(lines), answer, status, case["status"])


def test_a_tree_that_ends_within_a_name_is_gone_through_once() -> None:
    """What atheris found: looking for zeros in front of modes began anew where no name ended."""
    raw = b"10604 a\0" + b"\0" * 20 + b"604 a 0100644 x"
    assert "badTree" in {name for name, _, _ in fsckrules.tree(raw, fsckrules.readable_entries(raw, 20), 20)}
