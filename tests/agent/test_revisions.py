"""agent/revisions.py: what may be meant by a revision that names nothing."""

from types import SimpleNamespace
from typing import Any

import pytest

from gitglass.agent.revisions import revision_advice
from gitglass.agent.roots import Roots
from gitglass.limits import Context, Limits


@pytest.mark.parametrize(
    ("asked", "advice"),
    [
        ({"rev": "tpoic"}, "'tpoic': did you mean topic?"),
        ({"rev": "HEAD", "from_ref": "tpoic"}, "'tpoic': did you mean topic?"),
        ({"rev": "main..tpoic"}, "'tpoic': did you mean topic?"),
        ({"rev": "tpoic...main"}, "'tpoic': did you mean topic?"),
        ({"rev": "tpoic:README.md"}, "'tpoic': did you mean topic?"),
        ({"contains": "^tpoic"}, "'tpoic': did you mean topic?"),
        ({"rev": "master"}, "'master': HEAD is at main; git_refs kind=branches lists them."),
        ({"rev": "README.md"}, "'README.md' is a path: paths=README.md, or rev=HEAD:README.md for the file itself"),
        ({"rev": "nothing-like-it"}, None),
        ({"rev": "HEAD:READM.md"}, None),
        ({"rev": "main", "to_ref": None, "paths": ["x"]}, None),
        ({}, None),
    ],
)
def test_advice(unpack: Any, asked: dict[str, Any], advice: str | None) -> None:
    ctx = Context(Limits())
    with ctx:
        assert revision_advice(Roots(unpack("plain")).store(None), SimpleNamespace(**asked), ctx) == advice
