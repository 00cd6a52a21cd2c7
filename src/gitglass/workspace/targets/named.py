"""Targets by their names: those that an agent may name, the branch of each, templates of branch names.

`worker-{timestamp}` and its kin are expanded when a push is planned; the placeholders are a closed set and the result
has to be a well-formed name of a branch (git-check-ref-format(1)).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import InvalidArgs, NotFound
from ...records import record
from ...refs.names import check_refname
from .protocol import Target

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATHS = {"local": "path", "local-bare": "path", "github": "repo", "remote": "url"}


@record(frozen=True)
class Meant:
    """A target, and the branch that was named for it (None: none was)."""

    target: Target
    branch: str | None


class Targets:
    """The targets of a host, the first of which is the default. Raises InvalidArgs for two of one name."""

    def __init__(self, targets: Iterable[Target] = (), *, default: str | None = None) -> None:
        self._by_name: dict[str, Target] = {}
        for target in targets:
            if target.name in self._by_name:
                raise InvalidArgs(f"target '{target.name}' is there already")
            self._by_name[target.name] = target
        if default is not None and default not in self._by_name:
            raise InvalidArgs(f"unknown target '{default}'", hint=self._hint())
        self._default = default

    def _hint(self) -> str:
        return f"Targets: {', '.join(self._by_name) or 'none'}."

    @property
    def names(self) -> list[str]:
        """The names of all targets."""
        return list(self._by_name)

    def of(self, spec: str | Mapping[str, Any] | None) -> Meant:
        """The target that a name stands for, or document 4's object (`{"type": "local", "path": ".", "branch": "x"}`),
        or None: the default. Raises NotFound for a target that the host has not listed."""
        if spec is None:
            name = self._default or next(iter(self._by_name), None)
            if name is None:
                raise NotFound("the host has listed no target")
            return Meant(self._by_name[name], None)
        if isinstance(spec, str):
            if spec not in self._by_name:
                raise NotFound(f"unknown target '{spec}'", hint=self._hint())
            return Meant(self._by_name[spec], None)
        kind, branch = spec.get("type"), spec.get("branch")
        if kind is None and ("name" in spec or set(spec) == {"branch"}):
            return Meant(self.of(spec.get("name")).target, None if branch is None else str(branch))
        where = spec.get(_PATHS.get(str(kind), ""))
        for target in self._by_name.values():
            if target.kind == kind and where in (target.where, target.name):
                return Meant(target, None if branch is None else str(branch))
        raise NotFound(f"unknown target: {kind} '{where}'", hint=self._hint())


def expanded(template: str, *, worker: str, id: str, seconds: float) -> str:
    """The branch name of a template: `{timestamp}`, `{date}`, `{worker}`, `{id}`. Raises InvalidArgs for another
    placeholder, and if the result is no valid branch name."""
    moment = time.gmtime(seconds)
    values = {
        "timestamp": time.strftime("%Y%m%d-%H%M%S", moment), "date": time.strftime("%Y-%m-%d", moment),
        "worker": re.sub(r"[^A-Za-z0-9._-]+", "-", worker).strip("-.") or "worker", "id": id[:8],
    }  # fmt: skip

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise InvalidArgs(f"'{{{match[1]}}}' is no placeholder: {', '.join(values)}")
        return values[match[1]]

    return branch_ref(_PLACEHOLDER.sub(value, template)).removeprefix("refs/heads/")


def branch_ref(branch: str) -> str:
    """The ref of a branch. Raises InvalidArgs for a name that is not well formed."""
    ref = f"refs/heads/{branch}"
    raw = ref.encode("utf-8", "surrogateescape")
    if branch.startswith(("-", "refs/")) or branch == "HEAD" or not check_refname(raw):
        raise InvalidArgs(f"'{branch}' is not a valid branch name")
    return ref
