"""Decorations: order, filters, colours; expectations observed from git 2.39.5."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.limits import Context
from gitglass.render.color import Palette
from gitglass.render.log.decorate import Decorations, RefFilter, usual_filter
from gitglass.repo.discover import Where

ONE, TWO, TAG = b"\x01" * 20, b"\x02" * 20, b"\x03" * 20
REFS = {
    b"refs/foo/bar": ONE,
    b"refs/heads/main": ONE,
    b"refs/heads/z9": ONE,
    b"refs/remotes/origin/main": ONE,
    b"refs/replace/" + TWO.hex().encode(): ONE,
    b"refs/replace/odd": ONE,
    b"refs/stash": TWO,
    b"refs/tags/v1": ONE,
    b"refs/tags/v2": TAG,
}


class Config(dict):  # type: ignore[type-arg]
    def get_all(self, key: str) -> list[bytes]:
        return self.get(key, [])

    def section_items(self, front: bytes) -> list[tuple[bytes, bytes | None]]:
        return []


def decorations(
    branch: bytes | None = b"refs/heads/main", config: dict[str, Any] | None = None, **options: Any
) -> Decorations:
    refs = SimpleNamespace(
        iterate=lambda: iter(sorted(REFS.items())),
        peeled=lambda name, oid: ONE if oid == TAG else None,
        head=lambda: (branch, ONE),
    )
    store: Any = SimpleNamespace(
        refs=refs,
        config=Config(config or {}),
        odb=SimpleNamespace(grafted={TWO: ()}),
        hex_len=40,
        replace=True,
        where=Where(b"/"),
    )
    full, filtered = options.pop("full", False), options.pop("filtered", True)
    return Decorations(store, ctx=Context(), full=full, accept=usual_filter(store, **options) if filtered else None)


OFF, ON = Palette(Config(), False), Palette(Config(), True)


def test_order() -> None:
    found = decorations()
    assert found.text(ONE, OFF) == b" (HEAD -> main, tag: v2, tag: v1, origin/main, z9)"
    assert found.text(TWO, OFF) == b" (grafted, refs/stash, replaced)"
    assert found.text(b"\x09" * 20, OFF) == b""


def test_without_a_filter_every_ref_counts() -> None:
    configured = Config({"log.excludeDecoration": [b"refs/tags", b"refs/notes"]})
    unfiltered = decorations(config=configured, filtered=False)
    assert set(unfiltered.oids()) >= set(REFS.values()) - {TAG}
    assert b"tag: v1" in unfiltered.names(ONE) and b"tag: v1" not in decorations(config=configured).names(ONE)


def test_full_and_detached() -> None:
    assert decorations(None, full=True).names(ONE)[:2] == [b"HEAD", b"tag: refs/tags/v2"]
    assert decorations(full=True).names(ONE)[0] == b"HEAD -> refs/heads/main"


def test_colors() -> None:
    shown = decorations(include=[b"HEAD", b"heads/main"]).text(ONE, ON)
    assert shown == (b"\x1b[33m (\x1b[m\x1b[1;36mHEAD -> \x1b[m\x1b[1;32mmain\x1b[m\x1b[33m)\x1b[m")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"include": [b"refs/tags/*"]}, [b"tag: v2", b"tag: v1"]),
        ({"include": [b"tags/"]}, [b"tag: v2", b"tag: v1"]),
        ({"exclude": [b"refs/tags", b"refs/heads"]}, [b"HEAD", b"origin/main", b"refs/foo/bar"]),
        ({"include": [b"refs/tags"], "exclude": [b"*/v1"]}, [b"tag: v2"]),
        (
            {"config": {"log.excludeDecoration": [b"refs/tags", b"refs/heads", b"HEAD"]}},
            [b"origin/main", b"refs/foo/bar"],
        ),
        ({"config": {"log.initialDecorationSet": b"all"}, "exclude": []}, None),
    ],
)
def test_filters(options: dict[str, Any], names: list[bytes] | None) -> None:
    shown = decorations(**options).names(ONE)
    assert shown == names if names is not None else b"refs/foo/bar" in shown


def test_clear() -> None:
    assert b"refs/foo/bar" in decorations(clear=True).names(ONE)
    assert RefFilter([], [], [])(b"refs/anything")
