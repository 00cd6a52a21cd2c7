"""The windows of the app: what is typed is what comes back, and escape is no answer."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("textual")

from textual.app import App

from gitglass.workspace.review.app.dialogs import HELP, Ask, Help, Message
from gitglass.workspace.review.app.review_app import ReviewApp


def answered(screen: Any, *keys: str) -> list[object]:
    heard: list[object] = []

    async def run() -> None:
        app: App[None] = App()
        async with app.run_test(size=(100, 40)) as pilot:
            app.push_screen(screen, heard.append)
            await pilot.pause()
            await pilot.press(*keys)
            await pilot.pause()

    asyncio.run(run())
    return heard


@pytest.mark.parametrize(("screen", "keys", "answer"), [
    (Ask("[b]why[/b]?"), (*"no", "space", *"[x]", "enter"), "no [x]"), (Ask("why?", "so"), ("enter",), "so"),
    (Ask("why?"), (*"no", "escape"), None), (Message("Old\n\nbody"), ("X", "ctrl+s"), "XOld\n\nbody"),
    (Message("Old"), ("escape",), None), (Message("x"), ("delete", "ctrl+s"), None), (Help(), ("escape",), None),
])  # fmt: skip
def test_answers(screen: Any, keys: tuple[str, ...], answer: object) -> None:
    assert answered(screen, *keys) == [answer]


def test_the_help_names_every_key() -> None:
    words = set(HELP.split())
    for binding in ReviewApp.BINDINGS:
        key = binding.key.split(",")[0]  # type: ignore[union-attr]
        assert {"question_mark": "?"}.get(key, key) in words, key
