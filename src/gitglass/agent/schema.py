"""JSON schemas of tools, in the dialects that providers take.

All come from the tools' pydantic models: titles dropped, `anyOf [x, null]` written as `type: [x, "null"]` (a quarter
smaller), `default` left out where it is null or false, references resolved. The strict dialects forbid bounds, so those
stand in the descriptions; pydantic holds them in any case. What the providers' own transformers would change is written
their way from the start (tests/agent/test_provider_schemas.py). MCP's form is not closed: a server that checks
arguments against the schema would refuse an unknown one in words of its own, where ours name the closest.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ..errors import InvalidArgs

__all__ = ["DIALECTS", "input_schema", "result_schema"]

DIALECTS = ("mcp", "openai", "openai-strict", "anthropic", "anthropic-strict", "gemini")

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}
#: keywords that a strict dialect refuses
_STRICT = {*_BOUNDS, "pattern", "format", "uniqueItems", "multipleOf", "default"}


def input_schema(model: type[BaseModel], dialect: str = "mcp") -> dict[str, Any]:
    """The schema of a parameter model. Raises InvalidArgs for a dialect that there is not."""
    if dialect not in DIALECTS:
        raise InvalidArgs(f"unknown dialect '{dialect}'", hint=f"Dialects: {', '.join(DIALECTS)}.")
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    properties = {name: _tidy(part, definitions) for name, part in schema.get("properties", {}).items()}
    required = list(schema.get("required", []))
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if dialect == "gemini":
        found["properties"] = {name: _gemini(part) for name, part in properties.items()}
    elif dialect in ("openai-strict", "anthropic-strict"):
        found["properties"] = {name: _strict(part) for name, part in properties.items()}
        if dialect == "anthropic-strict":
            found["properties"] = {name: _omittable(part) for name, part in found["properties"].items()}
        if dialect == "openai-strict":
            found["properties"] = {
                name: part if name in required else _nullable(part) for name, part in found["properties"].items()
            }
            required = list(properties)
    if required:
        found["required"] = required
    if dialect not in ("gemini", "mcp"):
        found["additionalProperties"] = False
    return found


def result_schema(rows: str) -> dict[str, Any]:
    """The schema of a native tool's typed result, whose rows are in the field `rows` ("": it has none).

    Nothing is required and nothing closed: an error has `error` alone, and each tool adds facts of its own.
    """
    properties: dict[str, Any] = {rows: {"type": "array"}} if rows else {}
    properties |= {
        "truncated": {"type": "boolean"},
        "reason": {"type": ["string", "null"]},
        "shown": {"type": "integer"},
        "total": {"type": ["integer", "null"]},
        "next_cursor": {"type": ["string", "null"]},
        "notes": {"type": "array", "items": {"type": "string"}},
        "untrusted": {"type": "boolean"},
        "error": {"type": "object"},
    }
    return {"type": "object", "properties": properties}


def _tidy(part: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Without titles, references, and alternatives that are only `or null`."""
    if "$ref" in part:
        part = {**definitions[part["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in part.items() if k != "$ref"}}
    found = {key: value for key, value in part.items() if key != "title"}
    options = found.pop("anyOf", None)
    if options is not None:
        tidied = [_tidy(option, definitions) for option in options]
        real = [option for option in tidied if option.get("type") != "null"]
        if len(real) == 1:
            merged = dict(real[0])
            if len(real) != len(tidied) and merged.get("type") != "array":
                merged = _nullable(merged)  # of an array that may be null, clients make a text field
            found = merged | found
        else:
            found["anyOf"] = tidied
    if "default" in found and (found["default"] is None or found["default"] is False):
        del found["default"]
    if isinstance(found.get("items"), dict):
        found["items"] = _tidy(found["items"], definitions)
    return found


def _nullable(part: dict[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if isinstance(kind, str):
        part = {**part, "type": [kind, "null"]}
    if "enum" in part and None not in part["enum"]:
        part = {**part, "enum": [*part["enum"], None]}
    return part


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    """Without bounds; what they were is said in words."""
    said = [words.format(part[key]) for key, words in _BOUNDS.items() if key in part]
    if part.get("default") is not None:
        said.append(f"default {part['default']}")
    found = {key: value for key, value in part.items() if key not in _STRICT}
    if said:
        found["description"] = f"{found.get('description', '')} ({', '.join(said)})".strip()
    if isinstance(found.get("items"), dict):
        found["items"] = _strict(found["items"])
    return found


def _omittable(part: dict[str, Any]) -> dict[str, Any]:
    """As Anthropic's own transformer writes it: one type (an option is left out, never null), none beside an enum."""
    found = dict(part)
    kind = found.get("type")
    if isinstance(kind, list):
        found["type"] = next(word for word in kind if word != "null")
    if "enum" in found:
        found["enum"] = [word for word in found["enum"] if word is not None]
        del found["type"]
    if isinstance(found.get("items"), dict):
        found["items"] = _omittable(found["items"])
    return found


def _gemini(part: dict[str, Any]) -> dict[str, Any]:
    """OpenAPI's way of saying null, and no defaults."""
    found = {key: value for key, value in part.items() if key not in ("default", "pattern")}
    kind = found.get("type")
    if isinstance(kind, list):
        found["type"] = next(word for word in kind if word != "null")
        found["nullable"] = True
    if "enum" in found:
        found["enum"] = [word for word in found["enum"] if word is not None]
    if isinstance(found.get("items"), dict):
        found["items"] = _gemini(found["items"])
    return found
