"""What the tests of commands ask."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def repo(unpack: Any) -> Path:
    """An everyday repository, which nobody writes to."""
    path: Path = unpack("plain")
    return path
