"""A worker's configuration: the table `[tools.git.workspace]` of a TOML file, as document 4 has it.

    [tools.git.workspace]
    default_target = { type = "local", path = ".", branch = "worker-{timestamp}" }
    auto_pull = [{ path = "templates/", source = { type = "github", repo = "user/templates" } }]
    auto_approve = ["worker-*"]
    author = "Ann Lee <ann@example.com>"

    [tools.git.workspace.targets.reports]
    type = "github"
    repo = "user/reports"

Only listed targets can be pushed to or pulled from. Paths are relative to the file's directory. Unknown keys are
errors, and every error names the key and the file.
"""

from __future__ import annotations

import os
import tomllib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ...disk.jail import Jail
from ...errors import BadConfig, text
from ...mutate.grant import Identity
from ...objects.idents import split_ident

TABLE = ("tools", "git", "workspace")
_MOST = 1 << 20


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TargetSpec(_Part):
    """GitTarget, and what a host may say of one. `where` is what the type's own key says."""

    branch: str | None = Field(None, description="Where pushes go that name no branch: a name or a template.")
    protected: tuple[str, ...] = ("main", "master", "production")
    refs: tuple[str, ...] = ("refs/heads/*",)

    @property
    def where(self) -> str:
        """The names by which agents may refer to the target."""
        raise NotImplementedError


class LocalSpec(TargetSpec):
    """A repository of this machine."""

    type: Literal["local", "local-bare"]
    path: str
    hooks: Literal["refuse", "skip"] = "refuse"
    update_worktree: bool = False

    @property
    def where(self) -> str:
        """See `TargetSpec`."""
        return self.path


class RemoteSpec(TargetSpec):
    """A repository over https."""

    type: Literal["remote"]
    url: str

    @property
    def where(self) -> str:
        """See `TargetSpec`."""
        return self.url


class GitHubSpec(TargetSpec):
    """A repository on GitHub, or on a private server with GitHub's interfaces (`url`, `api`)."""

    type: Literal["github"]
    repo: str
    via: Literal["git", "rest", "graphql"] = "git"
    url: str = "https://github.com"
    api: str = "https://api.github.com"

    @property
    def where(self) -> str:
        """See `TargetSpec`."""
        return self.repo


Spec = Annotated[LocalSpec | RemoteSpec | GitHubSpec, Field(discriminator="type")]


class PullRow(_Part):
    """What is pulled before the worker starts: a path, of a target (none: the default), to a directory."""

    path: str
    source: str | Spec | None = None
    dest: str = ""


class WorkspaceConfig(_Part):
    """The table.

    default_target  the name of one of `targets`, or a target of its own
    targets         by name: what agents may push to and pull from
    auto_pull       what comes in before the worker starts
    base            the branch of the default target that the workspace stands on (none: the target's own)
    mount           where agents see the files; `folder` is the directory of the repository that is seen there
    auto_approve    patterns of branches that pushes may make without a person; never one that is protected
    sensitive       patterns of paths that are not pulled
    approval        what a yes is for: these very commits, or what they do to each path (desk.PushPolicy.scope)
    author, agent   "Name <email>"; `preset` says which of the two is the author (model.Identities)
    keep            a file in which the workspace is kept from run to run
    lfs, symlinks   see limits.WsLimits
    gh              the GitHub CLI, by its absolute path: asked for a token where the environment has none
    gh_config       its directory of settings
    authorities     a file of certificates (PEM) of those who vouch for https servers
    plain_http      whether http:// may be used on this very machine
    """

    default_target: str | Spec | None = None
    targets: dict[str, Spec] = {}
    auto_pull: tuple[PullRow, ...] = ()
    base: str | None = None
    mount: str = "/workspace/"
    folder: str = ""
    auto_approve: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    approval: Literal["commit", "paths"] = "commit"
    author: str | None = None
    agent: str | None = None
    preset: Literal["person", "agent", "trailer"] = "person"
    worker: str = "worker"
    keep: str | None = None
    lfs: Literal["refuse", "plain"] = "refuse"
    symlinks: bool = False
    gh: str | None = None
    gh_config: str | None = None
    authorities: str | None = None
    plain_http: bool = False

    @field_validator("author", "agent")
    @classmethod
    def _person(cls, value: str | None) -> str | None:
        if value is not None:
            person(value)
        return value

    @field_validator("gh")
    @classmethod
    def _absolute(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith("/"):
            raise ValueError("a program is named by its absolute path")
        return value


def person(word: str) -> Identity:
    """An identity of `Name <email>`. Raises ValueError."""
    ident = split_ident(word.encode("utf-8", "surrogateescape") + b" 0 +0000")
    if ident is None or not ident.name or not word.endswith(">"):
        raise ValueError(f"'{word}' is not 'Name <email>'")
    return Identity(text(ident.name), text(ident.mail))


def parse_config(source: str, file: str = "configuration") -> WorkspaceConfig:
    """The configuration in a TOML text; defaults if it has no such table. `file` is its name in errors.

    Raises BadConfig (its data: `key`, `file`).
    """
    try:
        table: Any = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadConfig(f"{file}: {error}", key="", file=file) from None
    for at, key in enumerate(TABLE):
        table = table.get(key, {})
        if not isinstance(table, dict):
            name = ".".join(TABLE[: at + 1])
            raise BadConfig(f"{file}: {name} is not a table", key=name, file=file)
    try:
        config = WorkspaceConfig.model_validate(table)
    except ValidationError as error:
        # if the key allows a name or a table, the error of the one that was given
        first = max(error.errors(), key=lambda one: (one["type"] != "string_type", len(one["loc"])))
        key = ".".join((*TABLE, *_key(first["loc"], table)))
        words = first["msg"].removeprefix("Value error, ")
        raise BadConfig(f"{file}: {key}: {words}", key=key, file=file) from None
    for row, word in _names(config):
        if word not in config.targets:
            names = ", ".join(config.targets) or "none"
            key = ".".join((*TABLE, row))
            raise BadConfig(f"{file}: {key}: unknown target '{word}'; there are {names}", key=key, file=file)
    return config


def _names(config: WorkspaceConfig) -> list[tuple[str, str]]:
    """(key, name) of every target that is named."""
    rows = [("default_target", config.default_target)]
    rows += [(f"auto_pull.{at}.source", row.source) for at, row in enumerate(config.auto_pull)]
    return [(key, value) for key, value in rows if isinstance(value, str)]


def _key(parts: tuple[int | str, ...], table: Any) -> list[str]:
    """The keys of an error's position, without the names that the checker adds (the types of a union)."""
    keys: list[str] = []
    for part in parts:
        try:
            table = table[part]
        except (KeyError, IndexError, TypeError):
            if part is not parts[-1] or str(part) in _CHECKERS or "[" in str(part):
                continue
        keys.append(str(part))
    return keys


_CHECKERS = {"local", "local-bare", "remote", "github", "str"}


def read_config(path: str | os.PathLike[str]) -> WorkspaceConfig:
    """The configuration in a file. Raises BadConfig, also for a file that does not exist."""
    folder, name = os.path.split(os.path.abspath(os.fsencode(path)))
    file = text(folder + b"/" + name)
    data = Jail(folder).read_optional(folder + b"/" + name, _MOST)
    if data is None:
        raise BadConfig(f"{file}: there is no such file", key="", file=file)
    try:
        return parse_config(bytes(data).decode("utf-8"), file)
    except UnicodeDecodeError:
        raise BadConfig(f"{file}: it is not UTF-8", key="", file=file) from None
