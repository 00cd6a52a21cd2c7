"""Files swapped under the reader: nothing outside is ever read, nothing hangs, nothing breaks.

`python -m tests.hostile.races 10000` swaps longer.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from .races import ARCHIVES, race, read


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("archive", ARCHIVES)
def test_swaps(archive: str, tmp_path: Path, watched: Any) -> None:
    repo, running = race(archive, tmp_path, 250)
    try:
        watched(os.path.realpath(repo))
        assert not [wrong for wrong in read(repo, running, 15.0, ARCHIVES[archive]) if wrong]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0
