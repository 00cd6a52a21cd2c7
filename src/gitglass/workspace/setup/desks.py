"""A desk made from a configuration: its targets opened, its workspace over the default one, and the first pulls.

    desk = desk_of("/srv/agent/gitglass.toml", environment=os.environ, approver=show_and_ask)

This is a door: the environment is passed in, and only `GITHUB_TOKEN` is read from it, once a request.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...disk.jail import Jail
from ...errors import BadConfig, GitError, text
from ...mutate.grant import ALL_EFFECTS, CredentialProvider, Identity, WriteGrant
from ...mutate.process.granted import Program
from ...mutate.remote.credentials import github_credentials
from ...records import record
from ...repository import Repository
from ..desk import Approver, Desk, PushPolicy
from ..limits import Mount, WsLimits
from ..model import Identities
from ..targets.github.ways import github
from ..targets.kept import KeptFile
from ..targets.local import LocalTarget
from ..targets.named import Targets
from ..targets.protocol import Target
from ..targets.remote import RemoteTarget
from ..workspace import Workspace
from .config import TABLE, GitHubSpec, LocalSpec, TargetSpec, WorkspaceConfig, person, read_config

_MOST = 1 << 20


@record(frozen=True)
class Surroundings:
    """The surroundings of a configuration: the file's directory and name, and the environment's variables."""

    folder: str
    file: str
    environment: Mapping[str, str]

    def path(self, word: str) -> str:
        """The absolute path of a path in the configuration."""
        return os.path.normpath(os.path.join(self.folder, word))

    def refused(self, key: str, error: GitError | ValueError) -> BadConfig:
        """An error of one key."""
        full = ".".join((*TABLE, key)).rstrip(".")
        words = error.message if isinstance(error, GitError) else str(error)
        return BadConfig(f"{self.file}: {full}: {words}", key=full, file=self.file)


def desk_of(
    file: str | os.PathLike[str], *, environment: Mapping[str, str] | None = None, approver: Approver | None = None
) -> Desk:
    """The desk of a configuration's file. Raises BadConfig (its data: `key`, `file`), and as its targets do if they
    cannot be read."""
    path = os.path.abspath(os.fspath(file))
    return made_of(read_config(path), Surroundings(os.path.dirname(path), path, environment or {}), approver=approver)


def desk_here(file: str) -> Desk:
    """The desk of a file, with this process's environment: for programs. Raises as `desk_of`."""
    return desk_of(file, environment=os.environ)


def made_of(config: WorkspaceConfig, around: Surroundings, *, approver: Approver | None = None) -> Desk:
    """The desk of a configuration. Raises as `desk_of`."""
    specs, default = _specs(config)
    made: dict[str, Target] = {name: _target(config, around, name, specs[name]) for name in specs}
    targets = Targets(made.values(), default=default)
    keep = None if config.keep is None else _kept(config.keep, around)
    workspace = _workspace(config, around, None if default is None else made[default], keep)
    policy = PushPolicy(config.auto_approve, config.sensitive, config.approval)
    saved = None if keep is None else keep.save
    desk = Desk(workspace, targets, approver=approver, worker=config.worker, policy=policy, changed=saved)
    if keep is None or not keep.exists:
        _pulled(config, around, desk, specs)
    return desk


def _specs(config: WorkspaceConfig) -> tuple[dict[str, TargetSpec], str | None]:
    """({name: target}, the name of the default one). A target that is written where it is used is named after its type
    and its place; if a listed target is at the same place, that one is used."""
    specs: dict[str, TargetSpec] = dict(config.targets)
    default = config.default_target
    if default is not None and not isinstance(default, str):
        name = _name_of(default, {}) or "default"
        specs[name] = default
        default = name
    for row in config.auto_pull:
        if row.source is not None and not isinstance(row.source, str) and _name_of(row.source, specs) is None:
            specs[f"{row.source.type}:{row.source.where}"] = row.source
    return specs, default if default is not None else next(iter(config.targets), None)


def _name_of(spec: TargetSpec, specs: Mapping[str, TargetSpec]) -> str | None:
    """The name of the target at the same place."""
    key = (getattr(spec, "type", ""), spec.where)
    return next((name for name, one in specs.items() if (getattr(one, "type", ""), one.where) == key), None)


def _grant(config: WorkspaceConfig, around: Surroundings, spec: TargetSpec, remotes: tuple[str, ...]) -> WriteGrant:
    author = None if config.author is None else person(config.author)
    given: dict[str, Any] = {"identity": author, "protected": spec.protected, "refs": spec.refs}
    if isinstance(spec, LocalSpec):
        return WriteGrant(hooks=spec.hooks, **given)
    authorities = None
    if config.authorities is not None:
        raw = _read(around, "authorities", config.authorities)
        authorities = raw.decode("ascii", "replace")
    given |= {"credentials": _credentials(config, around, spec), "authorities": authorities}
    return WriteGrant(effects=ALL_EFFECTS, remotes=remotes, plain_http=config.plain_http, **given)


def _credentials(config: WorkspaceConfig, around: Surroundings, spec: TargetSpec) -> CredentialProvider | None:
    """The credentials for GitHub, in document 4's order; None for other targets."""
    if not isinstance(spec, GitHubSpec):
        return None
    variables = () if config.gh_config is None else (("GH_CONFIG_DIR", around.path(config.gh_config)),)
    gh = None if config.gh is None else Program((config.gh, "auth", "token"), variables=variables)
    hosts = tuple(one.partition("://")[2].partition("/")[0].partition(":")[0] for one in (spec.url, spec.api))
    return github_credentials(around.environment.get("GITHUB_TOKEN"), gh, hosts=hosts)


def _read(around: Surroundings, key: str, word: str) -> bytes:
    path = os.fsencode(around.path(word))
    data = Jail(os.path.dirname(path)).read_optional(path, _MOST)
    if data is None:
        raise around.refused(key, ValueError(f"there is no file '{text(path)}'"))
    return bytes(data)


def _target(config: WorkspaceConfig, around: Surroundings, name: str, spec: TargetSpec) -> Target:
    key = f"targets.{name}" if name in config.targets else "default_target" if name == "default" else "auto_pull"
    try:
        if isinstance(spec, LocalSpec):
            local = LocalTarget(
                name, Repository(around.path(spec.path)), _grant(config, around, spec, ()), where=spec.path,
                branch=spec.branch, update_worktree=spec.update_worktree,
            )  # fmt: skip
            if local.kind != spec.type:
                raise ValueError(f"'{spec.path}' is {local.kind}, and not {spec.type}")
            return local
        if isinstance(spec, GitHubSpec):
            remotes = (f"{spec.url.rstrip('/')}/{spec.repo}.git", f"{spec.api.rstrip('/')}/repos/{spec.repo}",
                       f"{spec.api.rstrip('/').removesuffix('/v3')}/graphql")  # fmt: skip
            grant = _grant(config, around, spec, remotes)
            return github(name, spec.repo, grant, via=spec.via, branch=spec.branch, url=spec.url, api=spec.api)
        url = spec.where
        return RemoteTarget(name, url, _grant(config, around, spec, (url.rstrip("/"),)), branch=spec.branch)
    except BadConfig:
        raise
    except (GitError, ValueError) as error:
        raise around.refused(key, error) from error


def _kept(word: str, around: Surroundings) -> KeptFile:
    try:
        return KeptFile(around.path(word))
    except GitError as error:
        raise around.refused("keep", error) from error


def _workspace(
    config: WorkspaceConfig, around: Surroundings, target: Target | None, keep: KeptFile | None
) -> Workspace:  # fmt: skip
    limits = WsLimits(lfs=config.lfs, symlinks=config.symlinks)
    given: dict[str, Any] = {"limits": limits, "identity": _people(config)}
    mount = _mount(config, around)
    if target is None:
        return Workspace.empty(mount=mount, **given)
    if keep is not None and keep.exists:
        return keep.load_over([target.incoming(config.base).odb], **given)
    return Workspace.over_target(target, config.base, mount=mount, **given)


def _mount(config: WorkspaceConfig, around: Surroundings) -> Mount:
    try:
        return Mount(config.mount, config.folder)
    except GitError as error:
        raise around.refused("mount", error) from error


def _people(config: WorkspaceConfig) -> Identities:
    agent = Identity(config.worker or "worker", "worker@localhost") if config.agent is None else person(config.agent)
    if config.author is None:
        return Identities(agent)
    if config.agent is None:
        return Identities(person(config.author))
    return Identities.of(person(config.author), agent, config.preset)


def _pulled(config: WorkspaceConfig, around: Surroundings, desk: Desk, specs: Mapping[str, TargetSpec]) -> None:
    """Pull what the configuration lists before the worker starts."""
    for at, row in enumerate(config.auto_pull):
        source: dict[str, str] | str | None = None
        if isinstance(row.source, str):
            source = row.source
        elif row.source is not None:
            source = {"name": _name_of(row.source, specs) or ""}
            source |= {} if row.source.branch is None else {"branch": row.source.branch}
        try:
            desk.auto_pull(desk.workspace(), [{"path": row.path, "source": source, "dest": row.dest}])
        except GitError as error:
            raise around.refused(f"auto_pull.{at}", error) from error
