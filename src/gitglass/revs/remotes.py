"""Remotes in the configuration: the addresses for fetching and pushing, and the refspecs.

Mirrors git-remote(1) and git-config(1), "remote.<name>.*" and "url.<base>.insteadOf". The network is never used.
"""

from ..config.config import Config, parse_bool
from ..limits import pause
from ..records import field, record
from ..refs.refs import Refs
from ..refs.refspecs import map_refspecs, parse_fetch, parse_push

#: (prefix, its replacement) of each `insteadOf`
Rules = list[tuple[bytes, bytes]]


@record
class Remote:
    """One remote, its addresses already rewritten. `fetch` and `push` are refspecs as written."""

    name: bytes
    urls: list[bytes] = field(default_factory=list)
    push_urls: list[bytes] = field(default_factory=list)
    fetch: list[bytes] = field(default_factory=list)
    push: list[bytes] = field(default_factory=list)
    mirror: bool = False
    own: bool = False
    filter: bytes | None = None


def check_refspecs(config: Config, hex_len: int) -> None:
    """Raises BadRequest for an invalid refspec of any remote: git reads those of all as soon as it asks for one."""
    for entry in config.section(b"remote"):
        pause()
        if entry.value is not None and entry.key.count(b".") > 1:
            if entry.key.endswith(b".fetch"):
                parse_fetch(entry.value, hex_len)
            elif entry.key.endswith(b".push"):
                parse_push(entry.value, hex_len)


def remote_names(config: Config) -> list[bytes]:
    """The configured remotes, sorted."""
    return sorted(name for name in config.subsections("remote") if name and not name.startswith(b"/"))


def remotes(config: Config) -> list[Remote]:
    """The configured remotes, sorted; what all of them ask of the configuration is looked for once."""
    rules, own = _all_rules(config), _own(config)
    made = list[Remote]()
    for name in remote_names(config):
        pause()  # each rule is compared with each address
        made.append(_remote(config, name, rules, own))
    return made


def remote(config: Config, name: bytes) -> Remote:
    """A remote by name; a name without settings is itself an address."""
    return _remote(config, name, _all_rules(config), _own(config))


def _remote(config: Config, name: bytes, rules: tuple[Rules, Rules], own: set[bytes]) -> Remote:
    front = b"remote." + name + b"."
    made = Remote(name, config.get_all(front + b"url"), config.get_all(front + b"pushurl"))
    made.fetch, made.push = config.get_all(front + b"fetch"), config.get_all(front + b"push")
    made.mirror = bool(parse_bool(config.get(front + b"mirror") or b"false"))
    made.filter = config.get(front + b"partialclonefilter")
    made.own = name in own
    _rewrite(made, *rules)
    return made


def _own(config: Config) -> set[bytes]:
    """The remotes that the repository itself has settings of."""
    local = [entry.key for entry in config.section(b"remote") if entry.source.scope in ("local", "worktree")]
    return {key[7 : key.rindex(b".")] for key in local if key.count(b".") > 1}


def _all_rules(config: Config) -> tuple[Rules, Rules]:
    return _rules(config, b".insteadof"), _rules(config, b".pushinsteadof")


def _rewrite(made: Remote, fetch: Rules, push: Rules) -> None:
    """Apply url.<base>.insteadOf, and pushInsteadOf if no push address is configured."""
    if made.push_urls:
        made.push_urls = [_replaced(url, fetch) or url for url in made.push_urls]
    else:
        made.push_urls = [new for url in made.urls if (new := _replaced(url, push)) is not None]
    made.urls = [_replaced(url, fetch) or url for url in made.urls]


def address(config: Config, url: bytes) -> bytes:
    """An address with url.<base>.insteadOf applied."""
    return _replaced(url, _rules(config, b".insteadof")) or url


def _rules(config: Config, key: bytes) -> Rules:
    """(prefix, its replacement) of each rule."""
    return [
        (entry.value, entry.key[4 : -len(key)])
        for entry in config.section(b"url")
        if entry.value is not None and entry.key.endswith(key)
    ]


def _replaced(url: bytes, rules: Rules) -> bytes | None:
    """The address rewritten by the longest matching prefix, or None."""
    best = max((rule for rule in rules if url.startswith(rule[0])), key=lambda rule: len(rule[0]), default=None)
    return None if best is None else best[1] + url[len(best[0]) :]


def tracked_branches(refs: Refs, made: Remote) -> list[bytes]:
    """The remote's branches that have a tracking ref here, by their names in the remote, sorted."""
    turned = [_turn(spec) for spec in made.fetch if not spec.startswith(b"^")]
    branches = set()
    for ref in refs.entries():
        if ref.target is None:
            source = map_refspecs([spec for spec in turned if spec], ref.name)
            if source is not None:
                branches.add(source.removeprefix(b"refs/heads/"))
    return sorted(branches)


def _turn(spec: bytes) -> bytes:
    source, colon, target = spec.removeprefix(b"+").partition(b":")
    return target + b":" + source if colon and target else b""


@record
class Pull:
    """The effect of `git pull` on a branch: merge or rebase, with or onto what."""

    branch: bytes
    merges: list[bytes]
    rebase: str = ""


def pulls_from(config: Config, name: bytes) -> list[Pull]:
    """The branches that are configured to pull from a remote, sorted."""
    branches = []
    for branch in sorted(config.subsections("branch")):
        front = b"branch." + branch + b"."
        merges = [merge.removeprefix(b"refs/heads/") for merge in config.get_all(front + b"merge")]
        if config.get(front + b"remote") == name and merges:
            branches.append(Pull(branch, merges, _rebase(config.get(front + b"rebase"))))
    return branches


def _rebase(value: bytes | None) -> str:
    """The kind of rebase: "", "true", "interactive" or "merges"."""
    if value is None:
        return ""
    truth = parse_bool(value)
    if truth is not None:
        return "true" if truth else ""
    return {b"interactive": "interactive", b"i": "interactive", b"merges": "merges", b"m": "merges"}.get(value, "")
