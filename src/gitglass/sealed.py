"""`gitglass.seal()`: from then on nothing in this process can load the code that writes."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_ROOMS = ("gitglass.mutate", "gitglass.workspace")


class _Seal:
    """A finder that comes first and refuses the write side."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """None for everything else; raises ImportError for what is sealed."""
        if ".".join(name.split(".")[:2]) in _ROOMS:
            raise ImportError("gitglass is sealed: this process only reads", name=name)
        return None


def seal() -> None:
    """Make the write side unimportable for the rest of this process.

    Raises RuntimeError where it is loaded already: then code that writes is at hand, whatever is refused from now on.
    """
    for room in _ROOMS:
        if room in sys.modules:
            raise RuntimeError(f"{room} is loaded already: seal the process before anything imports it")
    if not any(isinstance(finder, type) and finder is _Seal for finder in sys.meta_path):
        sys.meta_path.insert(0, _Seal)
