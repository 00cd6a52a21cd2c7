"""How the server's process is prepared."""

import gc
from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.agent.mcp import main, serve


def test_what_stays_is_not_gone_through_by_every_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole collection took 60 ms more for the modules of the SDK, in which no client was answered."""
    counts: list[int] = []
    monkeypatch.setattr(serve, "serve", lambda settings, script: counts.append(gc.get_freeze_count()))
    settings: Any = SimpleNamespace(http=None)
    gc.unfreeze()  # the suite leaves them out as well
    main._serve(settings, "gitglass-mcp")
    assert counts[0] > 50_000
