"""What the configuration says of other repositories: which one is meant, where it is, what is fetched and pruned.

Mirrors git-config(1), "remote.*", "branch.<name>.*", "fetch.*", "push.*" and "url.<base>.insteadOf". Settings that name
programs (`uploadpack`, `receivepack`, `vcs`, `proxy`) are refused by name where git would use them.
"""

from __future__ import annotations

from ...config.config import Config
from ...errors import BadRequest, CommandFailed, Unsupported, text
from ...records import field, record
from ...refs.refspecs import Refspec, parse_fetch
from ...repo.store import Store
from ...revs.names import current_branch
from ...revs.remotes import address as rewritten
from ...revs.remotes import remote as configured
from .addresses import Address, parse_address

#: settings of a remote that name a program, or would lead elsewhere than the address says
_PROGRAMS = ("uploadpack", "receivepack", "vcs", "proxy", "proxyauthmethod")


@record(frozen=True)
class Peer:
    """Another repository as it was named. `name` is b"" where it is an address; `fetch` its refspecs as configured."""

    name: bytes
    word: bytes
    urls: tuple[bytes, ...]
    push_urls: tuple[bytes, ...] = ()
    fetch: tuple[Refspec, ...] = ()
    push: tuple[bytes, ...] = ()
    mirror: bool = False
    tags: bytes = b""
    prune: bool | None = None
    prune_tags: bool | None = None
    programs: tuple[str, ...] = field(default_factory=tuple)

    def address(self, store: Store, *, push: bool = False, ssh: bool = False) -> Address:
        """Where it is asked, or pushed to; `ssh`: there is a program for that. Raises Unsupported where another one
        would be started, or several places are configured."""
        if self.programs:
            raise Unsupported(
                f"'remote.{text(self.name)}.{self.programs[0]}' is set, and gitglass runs no program for it",
                setting=self.programs[0],
            )
        urls = (self.push_urls or self.urls) if push else self.urls[:1]
        if len(urls) != 1:
            raise Unsupported(f"'{text(self.name)}' has several addresses to push to")
        return parse_address(urls[0], top_of(store), ssh=ssh)


def top_of(store: Store) -> bytes:
    """The directory that relative paths of addresses are seen from: where git works."""
    return (store.work_tree or store.git_dir) if store.exists else store.cwd


def is_configured(config: Config, name: bytes) -> bool:
    """Whether the configuration has a remote of this name."""
    return name not in (b"", b".", b"..") and b"/" not in name and bool(config.section_items(b"remote." + name))


def peer_named(store: Store, word: bytes) -> Peer:
    """The remote of a name, or the repository at an address. Raises BadRequest in git's words for what is neither."""
    config = store.config
    if word == b".":
        return Peer(b"", word, (word,))
    if is_configured(config, word):
        return _of(store, word)
    if config.get_all(b"remotes." + word):
        raise Unsupported(f"'{text(word)}' is a group of remotes; name one of them", remote=text(word))
    folders = (b"remotes/", b"branches/") if store.exists and b"/" not in word else ()
    old = [name for name in folders if store.jail.exists(store.git_path(name + word))]
    if old:
        raise Unsupported(f"'{text(word)}' is kept in a file '{text(old[0] + word)}', which gitglass does not read")
    return Peer(b"", word, (rewritten(config, word),))


def _of(store: Store, name: bytes) -> Peer:
    config = store.config
    made = configured(config, name)
    front = b"remote." + name + b"."
    programs = tuple(word for word in _PROGRAMS if config.get(front + word.encode()))
    if not made.urls:
        made.urls = [rewritten(config, name)]
    return Peer(
        name, name, tuple(made.urls), tuple(made.push_urls),
        tuple(parse_fetch(spec, store.hex_len) for spec in made.fetch), tuple(made.push), made.mirror,
        config.get(front + b"tagopt") or b"", config.get_bool(front + b"prune"), config.get_bool(front + b"prunetags"),
        programs,
    )  # fmt: skip


def default_fetch(store: Store) -> bytes:
    """The remote that is fetched from where none is named: the branch's, the only one, `origin`."""
    branch = current_branch(store)
    name = store.config.get(b"branch." + branch + b".remote") if branch else None
    if name:
        return name
    names = [one for one in store.config.subsections("remote") if is_configured(store.config, one)]
    return names[0] if len(names) == 1 else b"origin"


def has_address(config: Config, name: bytes) -> bool:
    """Whether the configuration says where a remote is."""
    return bool(config.get_all(b"remote." + name + b".url"))


def has_default(store: Store, name: bytes) -> bool:
    """Whether git has a remote that nobody named: the branch's setting says it, or the configuration its address."""
    branch = current_branch(store)
    named = branch is not None and store.config.get(b"branch." + branch + b".remote") is not None
    return named or has_address(store.config, name)


def default_push(store: Store) -> bytes:
    """The remote that is pushed to where none is named."""
    branch = current_branch(store)
    config = store.config
    named = config.get(b"branch." + branch + b".pushremote") if branch else None
    return named or config.get("remote.pushdefault") or default_fetch(store)


def has_default_push(store: Store, name: bytes) -> bool:
    """Whether git has such a remote that is pushed to: some setting names it, or says its address."""
    branch = current_branch(store)
    named = branch is not None and store.config.get(b"branch." + branch + b".pushremote") is not None
    return named or store.config.get("remote.pushdefault") is not None or has_default(store, name)


def merges_of(store: Store, name: bytes) -> list[bytes]:
    """What the current branch merges when it pulls from a remote (`branch.<name>.merge`), as it is written."""
    branch = current_branch(store)
    if not branch or store.config.get(b"branch." + branch + b".remote") != name:
        return []
    return store.config.get_all(b"branch." + branch + b".merge")


def wants_prune(store: Store, peer: Peer, asked: bool | None) -> bool:
    """Whether refs here are deleted that are gone there."""
    if asked is not None:
        return asked
    return bool(peer.prune if peer.prune is not None else store.config.get_bool("fetch.prune", False))


def no_such_repository(word: bytes) -> CommandFailed:
    """git's words for an address where no repository is."""
    return CommandFailed(
        f"'{text(word)}' does not appear to be a git repository\n"
        "fatal: Could not read from remote repository.\n\n"
        "Please make sure you have the correct access rights\nand the repository exists.",
        status=128, prefix="fatal",
    )  # fmt: skip


def check_word(word: str) -> bytes:
    """The bytes of a remote's name or address. Raises BadRequest for one that would be an option, or is empty."""
    if not word or word.startswith("-") or any(ord(sign) < 32 or ord(sign) == 127 for sign in word):
        raise BadRequest(f"bad remote '{word}'")
    return word.encode("utf-8", "surrogateescape")
