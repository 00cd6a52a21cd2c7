"""Specs are frozen: a test that wants another one says which fields are other."""

from typing import Any, TypeVar

from gitglass.records import replace

S = TypeVar("S")


def changed(spec: S, **values: Any) -> S:
    """The spec with some fields changed; `patch__text` is the field `text` of its field `patch`."""
    for path, value in values.items():
        name, below, rest = path.partition("__")
        spec = replace(spec, **{name: changed(getattr(spec, name), **{rest: value}) if below else value})
    return spec
