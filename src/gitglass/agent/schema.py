"""JSON schemas of tools, in the dialects that providers take.

All are made from the tools' pydantic models: titles dropped, `anyOf [x, null]` written as `type: [x, "null"]` (a
quarter smaller), `default` left out if it is null or false, references resolved. The strict dialects forbid bounds, so
the descriptions state them; pydantic checks them in any case. Parts that the providers' own transformers would change
are written in their form from the start (tests/agent/test_provider_schemas.py). MCP's form is not closed: a server that
checks arguments against the schema would reject an unknown one with its own message, while our message names the
closest.
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
#: keywords that a strict dialect rejects
_STRICT = {*_BOUNDS, "pattern", "format", "uniqueItems", "multipleOf", "default"}


def input_schema(model: type[BaseModel], dialect: str = "mcp") -> dict[str, Any]:
    """The schema of a parameter model. Raises InvalidArgs for an unknown dialect."""
    if dialect not in DIALECTS:
        raise InvalidArgs(f"unknown dialect '{dialect}'", hint=f"Dialects: {', '.join(DIALECTS)}.")
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    properties = {name: _tidy(part, definitions) for name, part in schema.get("properties", {}).items()}
    return {"type": "object"} | _object(properties, list(schema.get("required", [])), dialect)


def _object(properties: dict[str, Any], required: list[str], dialect: str) -> dict[str, Any]:
    """An object's properties in a dialect, with the required ones; also for objects inside of it."""
    properties = {
        name: part | _object(part["properties"], part.get("required", []), dialect) if "properties" in part else part
        for name, part in properties.items()
    }
    made: dict[str, Any] = {"properties": properties}
    if dialect == "gemini":
        made["properties"] = {name: _gemini(part) for name, part in properties.items()}
    elif dialect in ("openai-strict", "anthropic-strict"):
        made["properties"] = {name: _strict(part) for name, part in properties.items()}
        if dialect == "anthropic-strict":
            made["properties"] = {name: _omittable(part) for name, part in made["properties"].items()}
        if dialect == "openai-strict":
            made["properties"] = {
                name: part if name in required else _nullable(part) for name, part in made["properties"].items()
            }
            required = list(properties)
    if required or dialect == "openai-strict":
        made["required"] = required
    if dialect not in ("gemini", "mcp"):
        made["additionalProperties"] = False
    return made


def result_schema(rows: str) -> dict[str, Any]:
    """The schema of a native tool's typed result, whose rows are in the field `rows` ("": it has no rows).

    Nothing is required and nothing is closed: an error has only `error`, and each tool adds fields of its own.
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
    """The part without titles, references, and alternatives that only add `or null`."""
    if "$ref" in part:
        part = {**definitions[part["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in part.items() if k != "$ref"}}
    tidy = {key: value for key, value in part.items() if key != "title"}
    options = tidy.pop("anyOf", None)
    if options is not None:
        tidied = [_tidy(option, definitions) for option in options]
        real = [option for option in tidied if option.get("type") != "null"]
        if len(real) == 1:
            merged = dict(real[0])
            if len(real) != len(tidied) and merged.get("type") != "array":
                merged = _nullable(merged)  # for an array that may be null, clients would show a text field
            tidy = merged | tidy
        else:
            tidy["anyOf"] = tidied
    if "default" in tidy and (tidy["default"] is None or tidy["default"] is False):
        del tidy["default"]
    if isinstance(tidy.get("items"), dict):
        tidy["items"] = _tidy(tidy["items"], definitions)
    if isinstance(tidy.get("properties"), dict):
        tidy["properties"] = {name: _tidy(inner, definitions) for name, inner in tidy["properties"].items()}
        tidy.pop("additionalProperties", None)  # each dialect adds its own value
    return tidy


def _nullable(part: dict[str, Any]) -> dict[str, Any]:
    kind = part.get("type")
    if isinstance(kind, str):
        part = {**part, "type": [kind, "null"]}
    if "enum" in part and None not in part["enum"]:
        part = {**part, "enum": [*part["enum"], None]}
    return part


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    """The part without bounds; the description states them instead."""
    bounds = [words.format(part[key]) for key, words in _BOUNDS.items() if key in part]
    if part.get("default") is not None:
        bounds.append(f"default {part['default']}")
    strict = {key: value for key, value in part.items() if key not in _STRICT}
    if bounds:
        strict["description"] = f"{strict.get('description', '')} ({', '.join(bounds)})".strip()
    if isinstance(strict.get("items"), dict):
        strict["items"] = _strict(strict["items"])
    return strict


def _omittable(part: dict[str, Any]) -> dict[str, Any]:
    """The part in the form of Anthropic's own transformer: one type (an option is omitted, never null), no type with an
    enum."""
    omittable = dict(part)
    kind = omittable.get("type")
    if isinstance(kind, list):
        omittable["type"] = next(word for word in kind if word != "null")
    if "enum" in omittable:
        omittable["enum"] = [word for word in omittable["enum"] if word is not None]
        del omittable["type"]
    if isinstance(omittable.get("items"), dict):
        omittable["items"] = _omittable(omittable["items"])
    return omittable


def _gemini(part: dict[str, Any]) -> dict[str, Any]:
    """The part with OpenAPI's notation for null, and without defaults."""
    converted = {key: value for key, value in part.items() if key not in ("default", "pattern")}
    kind = converted.get("type")
    if isinstance(kind, list):
        converted["type"] = next(word for word in kind if word != "null")
        converted["nullable"] = True
    if "enum" in converted:
        converted["enum"] = [word for word in converted["enum"] if word is not None]
    if isinstance(converted.get("items"), dict):
        converted["items"] = _gemini(converted["items"])
    return converted
