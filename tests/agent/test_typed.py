"""agent/typed.py: whatever is asked, and whatever the budget, neither the text nor the typed result is larger."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import regex  # noqa: F401  (loaded before the guard looks on: a pattern may need it)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.agent import Budget, Roots, ToolContext, tools
from gitglass.agent.answer import ToolAnswer, error_object
from gitglass.agent.typed import LEAST_BYTES, Typed, fitted_error, size_of
from gitglass.errors import GitError

from ..hostile.members import commit, entry, loose

TOOLS = {tool.name: tool for tool in tools()}
MODES = ("patch", "stat", "name_only", "name_status", "largest", "dirstat", "none", "count", "authors", "files")
REVS = ("HEAD", "HEAD~2", "v1.0", "HEAD:", "HEAD:src/app.py", "HEAD~3..HEAD", "no/such" * 40, "odd", "odd:")
PATHS = ("src", "README.md", "*." + "x" * 300, "no/such", "\x1b[2J")


def values(**choices: Any) -> Any:
    """Some of the arguments, each one of its values."""
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(found) for name, found in choices.items()})


WHERE = {"paths": [[path] for path in PATHS], "max_bytes": (200, 333, 512, 700, 5000)}
ASKED = {
    "git_status": values(ignored=(True,), untracked=("all",), **WHERE),
    "git_log": values(mode=MODES, rev=REVS, grep=("a",), max_count=(1, 3, 50), follow=(True,), **WHERE),
    "git_diff": values(mode=MODES, from_ref=REVS, to_ref=("HEAD", "odd"), scope=("staged",), **WHERE),
    "git_show": values(mode=MODES, rev=REVS, **WHERE),
    "git_blame": values(path=("README.md", "src/app.py", "no"), rev=REVS, **WHERE),
    "git_refs": values(kind=("tags", "branches", "all"), sort=("newest",), contains=REVS, max_bytes=(200, 5000)),
    "git_files": values(rev=REVS, recursive=(True,), format=("long", "name"), **WHERE),
    "git_grep": values(pattern=("a", "^", "(a", "x" * 900), rev=REVS, max_count=(1, 9), **WHERE),
    "git_compare": values(from_ref=("v1.0", "HEAD~3", "odd"), to_ref=REVS, mode=MODES, cherry=(True,), **WHERE),
    "git_info": values(rev=REVS),
}
BUDGETS = st.one_of(st.integers(1, 700), st.integers(1, 20_000), st.just(161))


@pytest.fixture(scope="module")
def repo(unpack: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with long and odd names and texts beside the usual ones."""
    made = tmp_path_factory.mktemp("sizes") / "repo"
    shutil.copytree(unpack("plain"), made, symlinks=True)
    blob = loose(made, b"blob", b"\x1b[31m" + "é\U0001f600".encode() * 900 + b"\n\xff\xfe" * 40)
    names = [b"\x01" * 200, b"n" * 250, "\u202e".encode() * 60]
    tree = loose(made, b"tree", b"".join(entry(b"100644", name, blob) for name in sorted(names)))
    commit(made, tree, author=b"\x1b[2J" * 90 + b" <" + b"\x07" * 90 + b"> 1700000000 +0000", ref="refs/tags/odd")
    return made


@pytest.mark.parametrize("name", sorted(TOOLS))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_answer_is_larger_than_its_budget(name: str, repo: Path, data: Any) -> None:
    asked = data.draw(ASKED[name])
    budget = data.draw(BUDGETS)
    ctx = ToolContext(Roots(str(repo)), budget=Budget(budget), structured=data.draw(st.booleans()))
    most = min(asked.get("max_bytes", budget), budget)
    for _ in range(3):
        answer = TOOLS[name].call(asked, ctx)
        assert answer.error is None or answer.error["code"] != "internal", answer.text
        if answer.error is not None and answer.error["code"] == "invalid_args":
            most = budget  # arguments that are not understood bound nothing
        assert len(answer.text.encode()) <= most
        assert (answer.result is not None) == ctx.structured
        assert answer.result is None or size_of(answer.result) <= max(most, LEAST_BYTES)
        if answer.next_cursor is None or answer.is_error:
            return
        asked = {**asked, "cursor": answer.next_cursor}


JSON = st.recursive(st.one_of(st.text(max_size=200), st.integers(), st.none()), lambda one: st.lists(one, max_size=4))
FIELDS = st.dictionaries(st.text(max_size=80), JSON, max_size=6)
ROWS = st.lists(st.one_of(JSON, st.dictionaries(st.sampled_from(["body", "a", "files", "commit"]), JSON)), max_size=9)


@given(st.integers(1, 3000), FIELDS, ROWS, st.booleans(), st.lists(st.text(max_size=300), max_size=5), st.text())
def test_a_result_fits_by_construction(
    most: int, fields: dict[str, Any], rows: list[Any], part: bool, notes: list[str], words: str
) -> None:
    typed = Typed(most, "rows", fields)
    for row in rows:
        made = lambda row=row: row  # noqa: E731
        whole = typed.fits(made)
        typed.take(made, part=part and not whole)
    answer = ToolAnswer("", truncated=True, reason="max_bytes", shown=10**9, total=10**9, notes=notes)
    answer.next_cursor = "x" * 40
    answer.error = error_object(GitError(words * 40, hint=words), partial=True)
    result = typed.result(answer)
    assert size_of(result) <= max(most, LEAST_BYTES)
    assert rows == [] or result["rows"]


def test_what_is_left_out_is_named() -> None:
    typed = Typed(600, "rows", {"small": 1, "large": "x" * 900})
    row = {"oid": "a", "body": "y" * 900, "commit": {"oid": "b", "body": "z" * 900}}
    assert not typed.fits(lambda: row)
    typed.take(lambda: row, part=False)
    result = typed.result(ToolAnswer("", notes=["short", "n" * 900]))
    assert (result["small"], result["left_out"], result["notes"]) == (1, ["large"], ["short"])
    assert result["rows"] == [{"oid": "a", "commit": {"oid": "b"}, "partial": True}]


def test_an_error_loses_details_then_hint_then_the_end_of_its_words() -> None:
    error = {"code": "c", "message": "m" * 100, "hint": "h" * 100, "partial": False, "details": {"x": "d" * 100}}
    assert fitted_error(error, 1000) == error
    assert "details" not in fitted_error(error, 300) and "hint" in fitted_error(error, 300)
    assert "hint" not in fitted_error(error, 160)
    assert 0 < len(fitted_error(error, 100)["message"]) < 100


def test_the_words_of_an_error_are_looked_at_up_to_a_size() -> None:
    found = error_object(GitError("unexpected line: " + "x" * (1 << 20)))
    assert found["message"].startswith("unexpected line") and len(found["message"]) < 10_000
