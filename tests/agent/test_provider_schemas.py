"""The dialects of agent/schema.py, held against the providers' own SDKs: what their schema transformers make of ours.

A schema that a transformer leaves as it is needs no rewriting on its way, and loses nothing by it. The SDKs are in the
dependency group `hosts`; where one is missing its tests are skipped.
"""

import copy
import functools
from typing import Any

import pytest

from gitglass.agent import tool_schemas, tools
from gitglass.agent.profiles import PROFILES

NAMES = [(profile, tool.name) for profile in PROFILES for tool in tools(profile)]
EACH = pytest.mark.parametrize(("profile", "name"), NAMES)


@functools.cache
def sent_once(dialect: str, profile: str) -> list[dict[str, Any]]:
    """All tools of a profile as they are sent: made once, not for each of its tools."""
    return tool_schemas(dialect, profile)


def schema(dialect: str, profile: str, name: str) -> dict[str, Any]:
    """The schema of a tool's arguments as it is sent."""
    for sent in sent_once(dialect, profile):
        told = sent.get("function", sent)
        if told["name"] == name:
            found: dict[str, Any] = copy.deepcopy(
                told.get("parameters") or told.get("input_schema") or told["inputSchema"]
            )
            return found
    raise AssertionError(name)


@EACH
def test_openai_s_strict_transformer_leaves_ours_as_it_is(profile: str, name: str) -> None:
    module = pytest.importorskip("openai.lib._pydantic")
    ours = schema("openai-strict", profile, name)
    assert module._ensure_strict_json_schema(copy.deepcopy(ours), path=(), root=ours) == ours


@EACH
def test_openai_takes_the_tools_as_they_are_sent(profile: str, name: str) -> None:
    types = pytest.importorskip("openai.types.chat")
    pydantic = pytest.importorskip("pydantic")
    check = pydantic.TypeAdapter(types.ChatCompletionToolParam)
    for dialect in ("openai", "openai-strict"):
        (sent,) = (one for one in sent_once(dialect, profile) if one["function"]["name"] == name)
        assert check.validate_python(copy.deepcopy(sent)) == sent


@EACH
def test_pydantic_ai_s_transformer_finds_ours_strict(profile: str, name: str) -> None:
    module = pytest.importorskip("pydantic_ai.profiles.openai")
    ours = schema("openai-strict", profile, name)
    probe = module.OpenAIJsonSchemaTransformer(copy.deepcopy(ours), strict=None)
    assert probe.walk() == ours and probe.is_strict_compatible
    assert module.OpenAIJsonSchemaTransformer(copy.deepcopy(ours), strict=True).walk() == ours


@EACH
def test_anthropic_s_transformer_leaves_ours_as_it_is(profile: str, name: str) -> None:
    anthropic = pytest.importorskip("anthropic")
    ours = schema("anthropic-strict", profile, name)
    assert anthropic.transform_schema(copy.deepcopy(ours)) == ours


@EACH
def test_anthropic_takes_the_tools_as_they_are_sent(profile: str, name: str) -> None:
    types = pytest.importorskip("anthropic.types")
    pydantic = pytest.importorskip("pydantic")
    check = pydantic.TypeAdapter(types.ToolParam)
    for dialect in ("anthropic", "anthropic-strict"):
        (sent,) = (one for one in sent_once(dialect, profile) if one["name"] == name)
        assert check.validate_python(copy.deepcopy(sent)) == sent


@EACH
def test_google_takes_ours(profile: str, name: str) -> None:
    types = pytest.importorskip("google.genai.types")
    transformers = pytest.importorskip("google.genai._transformers")
    ours = schema("gemini", profile, name)
    declared = types.FunctionDeclaration(name=name, parameters=ours)  # its models forbid what they do not know
    again = declared.parameters.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert list(again["properties"]) == list(ours["properties"])
    assert again.get("required", []) == ours.get("required", [])
    for key, part in ours["properties"].items():
        for word in ("nullable", "enum", "description"):
            assert again["properties"][key].get(word) == part.get(word)
    plain = copy.deepcopy(ours)
    transformers.process_schema(plain, client=None, order_properties=False)
    assert plain == ours


@EACH
def test_pydantic_ai_s_google_transformer_keeps_every_argument(profile: str, name: str) -> None:
    """It writes `null` in its own way, and drops what Gemini does not take; nothing else may be lost."""
    module = pytest.importorskip("pydantic_ai.profiles.google")
    ours = schema("openai", profile, name)
    made = module.GoogleJsonSchemaTransformer(copy.deepcopy(ours), strict=None).walk()
    assert list(made["properties"]) == list(ours["properties"])
    assert made.get("required", []) == ours.get("required", [])
    for key, part in ours["properties"].items():
        assert str(part.get("description", "")) in str(made["properties"][key].get("description", ""))
