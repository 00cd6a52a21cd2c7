"""The hand-made repository of the work-tree tests."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("worktrees", Path(__file__).parents[1] / "support/worktrees.py")
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
repo, ctx, Repo = _module.repo, _module.ctx, _module.Repo
