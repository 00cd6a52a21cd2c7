"""Questions as agents write them (tests/agent/questions), answered as git would: no empty answer that is not true."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import regex  # noqa: F401  (loaded before the guard looks on: a pattern may need it)

from gitglass.agent import Roots, ToolContext, tools

QUESTIONS = json.loads((Path(__file__).parent / "questions" / "questions.json").read_text(encoding="utf-8"))
TOOLS = {tool.name: tool for tool in tools()}


def test_there_are_sixty() -> None:
    assert len(QUESTIONS) >= 60


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda one: f"{one['tool']}-{json.dumps(one['arguments'])}")
def test_the_answer_is_right(asked: dict[str, Any], unpack: Any) -> None:
    answer = TOOLS[asked["tool"]].call(asked["arguments"], ToolContext(Roots(unpack(asked["fixture"]))))
    if "nowhere" in asked:
        assert asked["nowhere"] in answer.text
        return
    assert not answer.is_error, answer.text
    lines = answer.body.splitlines()
    wanted = asked["lines"]
    if "part" in asked:
        parts = [re.match(asked["part"], line) for line in lines]
        assert sorted("".join(part.groups()) for part in parts if part) == sorted(wanted)
    elif asked.get("whole"):
        assert lines == wanted
    elif asked["tool"] == "git_log":
        assert [line.split()[0] for line in lines] == wanted
    elif asked["tool"] == "git_refs":
        assert len(lines) == len(wanted) and all(f" {name} " in line for name, line in zip(wanted, lines, strict=True))
    else:
        assert lines == wanted
