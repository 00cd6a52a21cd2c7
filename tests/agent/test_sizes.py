"""Arguments that hold more than any question needs are refused at once, with the bound, by every tool."""

import json
from typing import Any

import pytest

from gitglass.agent import Roots, Tool, ToolAnswer, ToolContext, tools
from gitglass.agent.profiles import PROFILES
from gitglass.agent.sizes import MOST_ITEM_BYTES, MOST_ITEMS, MOST_TEXT_BYTES, check_sizes
from gitglass.errors import InvalidArgs

EVERY = [(p, tool) for p in PROFILES for tool in (tools(p, mutating=True) if p == "forge" else tools(p))]
MANY = [f"p{number}" for number in range(100_000)]


def native(name: str) -> Tool:
    return tools(only=[name])[0]


def refused(answer: ToolAnswer) -> tuple[str, str]:
    assert answer.is_error and answer.error is not None
    return str(answer.error["code"]), str(answer.error["message"])


class Closed(Roots):
    """Roots that nobody may ask: what is refused is refused before a repository is looked for."""

    def __init__(self) -> None:
        super().__init__("/")

    def store(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a repository was opened")


@pytest.mark.parametrize(("profile", "tool"), EVERY, ids=lambda one: one if isinstance(one, str) else one.name)
def test_every_tool_refuses_arguments_without_end(profile: str, tool: Tool) -> None:
    ctx = ToolContext(Closed())
    name = next(iter(tool.input_schema()["properties"]), "x")
    assert refused(tool.call({name: MANY}, ctx)) == ("invalid_args", f"{name}: 100000 items, 1000 at most")
    most = tool.most_text  # more where whole files are among the arguments
    assert refused(tool.call({name: "y" * (most + 1)}, ctx)) == (
        "invalid_args",
        f"{name}: a text of {most + 1} bytes, {most} at most",
    )
    assert refused(tool.call({name: ["é" * 2049]}, ctx)) == (
        "invalid_args",
        f"{name}: a text of 4098 bytes, 4096 at most",
    )
    assert refused(tool.call(dict.fromkeys(MANY, 1), ctx))[1] == "arguments: 100000 items, 1000 at most"


def test_the_bounds_themselves_are_within() -> None:
    check_sizes({"paths": ["a" * MOST_ITEM_BYTES] * MOST_ITEMS, "pattern": "b" * MOST_TEXT_BYTES})
    with pytest.raises(InvalidArgs) as error:
        check_sizes({"paths": ["a"] * (MOST_ITEMS + 1)})
    assert error.value.data == {"limit": 1000, "size": 1001}


def test_items_of_all_levels_are_summed() -> None:
    with pytest.raises(InvalidArgs, match="x: 1302 items, 1000 at most"):
        check_sizes({"x": [["a"] * 650, ["b"] * 650]})
    with pytest.raises(InvalidArgs, match="x: nested too deeply"):
        check_sizes({"x": [[[[[["a"]]]]]]})


def test_an_array_packed_in_a_text_counts_as_one(unpack: Any) -> None:
    ctx = ToolContext(Roots(str(unpack("releases"))))
    packed = json.dumps(MANY[:1001])
    words = ("invalid_args", "array: 1001 items, 1000 at most")
    assert refused(native("git_log").call({"paths": packed}, ctx)) == words
    twice = json.dumps([str(number) for number in range(600)])
    answer = native("git_log").call({"paths": [twice, twice]}, ctx)
    assert refused(answer) == ("invalid_args", "paths: 1001 items, 1000 at most")


def test_a_packed_array_is_not_cut(unpack: Any) -> None:
    """Of 70 names in one text the last one counts as well."""
    ctx = ToolContext(Roots(str(unpack("releases"))))
    packed = json.dumps([*(f"no{number}" for number in range(69)), "src/app.py"])
    answer = native("git_files").call({"paths": [packed]}, ctx)
    assert not answer.is_error and "src/app.py" in answer.text


def test_words_of_a_command_line_count(unpack: Any) -> None:
    ctx = ToolContext(Roots(str(unpack("releases"))))
    tool = tools("nexus")[0]
    answer = tool.call({"command": "log -- " + " ".join(MANY[:3000])}, ctx)
    assert refused(answer) == ("invalid_args", "command: 3002 items, 1000 at most")
