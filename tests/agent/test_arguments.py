"""Whatever arguments a model makes up: every tool of every profile answers, in its bounds, and never with a slip of ours."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitglass.agent import Budget, Roots, Tool, ToolContext, tools
from gitglass.agent.profiles import PROFILES
from gitglass.limits import Limits

EVERY = [(p, tool) for p in PROFILES for tool in (tools(p, mutating=True) if p == "forge" else tools(p))]
WORDS = st.sampled_from(
    ["HEAD", "v1.0", "v1.0..HEAD", "a...b", "-x", "--", "", ".", "..", "/", "src/app.py", "src", "uv.lock", "*.py", "1,2",
     ":(glob)**", "\0", "ü", "\ud800", "\udc80", "@{u}", "HEAD:src", "HEAD^{tree}", ":/Merge", "stash@{0}", "nonesuch",
     "1,20:src/app.py", ":part_1:src/app.py", "%H %s", "%x00", "%w(1,2,3)%b", "2 weeks ago", "log -p", "branch -D x",
     "show 'x", "diff --stat v1.0", "(a", "[", "a{1,99999}", "\u202e", "outside/passwd", "../x", "x" * 5000]
)  # fmt: skip
VALUES = st.one_of(
    WORDS, st.integers(-2, 10**30), st.booleans(), st.none(), st.lists(WORDS, max_size=3), st.text(max_size=20),
    st.dictionaries(WORDS, WORDS, max_size=1), st.floats(),
)  # fmt: skip


def guess(part: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly of the kind that the schema asks for."""
    kinds = str(part.get("type", ""))
    near: st.SearchStrategy[Any] = WORDS
    if "enum" in part:
        near = st.sampled_from(part["enum"])
    elif "boolean" in kinds:
        near = st.booleans()
    elif "integer" in kinds:
        near = st.sampled_from([0, 1, 2, 5, 100, 1000, 20_000])
    elif "array" in kinds:
        near = st.lists(WORDS, max_size=3)
    return st.one_of(near, near, near, VALUES)


@pytest.mark.parametrize(("profile", "tool"), EVERY, ids=lambda one: one if isinstance(one, str) else one.name)
def test_any_arguments_are_answered(profile: str, tool: Tool, unpack: Any) -> None:
    top = str(unpack("releases"))
    schema = tool.input_schema()
    place = {"rfc": {"repo": top}, "mcp-server-git": {"repo_path": top}}.get(profile, {})
    needed = {name: guess(part) for name, part in schema["properties"].items() if name in schema.get("required", [])}
    free = {name: guess(part) for name, part in schema["properties"].items() if name not in needed}
    roots = Roots(top)

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(
        st.fixed_dictionaries(needed, optional=free), st.sampled_from([200, 3000, 40_000]), st.booleans(),
        st.sampled_from([None, "sandboxed", "trusted", "yolo"]),
    )  # fmt: skip
    def check(arguments: dict[str, Any], size: int, structured: bool, level: str | None) -> None:
        ctx = ToolContext(roots, budget=Budget(size), structured=structured, level=level, limits=Limits(timeout=20.0))
        answer = tool.call({**arguments, **place}, ctx)
        assert "internal error" not in answer.text and (answer.error or {}).get("code") != "internal", answer.text
        json.dumps(answer.result)
        answer.text.encode()  # it can be sent
        if profile == "native":
            assert len(answer.text.encode()) <= size

    check()
