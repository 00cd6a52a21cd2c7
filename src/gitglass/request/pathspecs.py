"""The mixin of requests that are limited to paths, and the parser of its pathspecs."""

from collections.abc import Sequence

from ..annotations import TYPE_CHECKING
from ..deferred import deferred
from ..paths.pathspec import Item, PathspecSpec
from ..paths.pathspec import Pathspecs as Specs
from ..repo.store import Store
from .request import Pathspecs
from .text import to_bytes

if TYPE_CHECKING:
    from ..paths.attributes import attributes_of
    from ..repo.absolute import bounds, through_links
else:
    attributes_of = deferred(__name__, "..paths.attributes", "attributes_of")
    bounds, through_links = deferred(__name__, "..repo.absolute", "bounds", "through_links")


__all__ = ["Pathspecs", "named_magic", "parse_pathspecs"]


def named_magic(item: Item) -> str:
    """The magic of a pathspec as git's errors name it, but for `top` and `literal`; empty for a plain one."""
    magic = (
        ("'glob'", item.glob),
        ("'icase'", item.icase),
        ("'exclude' (mnemonic: '!')", item.exclude),
        ("'attr'", bool(item.attrs)),
    )
    return ", ".join(name for name, there in magic if there)


def parse_pathspecs(
    store: Store, paths: Sequence[str], *, prefix: bytes | None = None, prefer_cwd: bool = False
) -> Specs:
    """The pathspecs of a request, relative to the current directory, with the global pathspec settings.

    `prefer_cwd`: without pathspecs, or with exclusions only, the current directory is meant and not everything.
    """
    spec = PathspecSpec.of(store.pathspecs, prefer_cwd=prefer_cwd)
    return Specs.parse(
        [to_bytes(path) for path in paths],
        store.prefix if prefix is None else prefix,
        spec,
        work_tree=store.work_tree,
        bounds=lambda: bounds(store),
        elsewhere=lambda path: through_links(store, path),
        attributes=lambda: attributes_of(store),
    )
