"""The corpus of the fuzz targets, replayed: seeds, what reached new code when it was made, and every finding since."""

import hashlib
import importlib
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))
targets: Any = importlib.import_module("targets")
seeds: Any = importlib.import_module("seeds")
sys.path.remove(str(FUZZ))


def kept() -> dict[str, list[bytes]]:
    """The inputs of the corpus, by target."""
    found: dict[str, list[bytes]] = {name: seeds.seeds(name) for name in targets.TARGETS}
    archive = FUZZ / "corpus.tar.gz"
    if archive.exists():
        with tarfile.open(archive) as tar:
            for member in tar:
                stream = tar.extractfile(member)
                if stream is not None:
                    found[Path(member.name).parent.name].append(stream.read())
    for path in sorted((FUZZ / "findings").glob("*-*")):
        found[path.name.split("-")[0]].append(path.read_bytes())
    return found


CORPUS = kept()


@pytest.mark.parametrize("name", sorted(targets.TARGETS))
def test_corpus(name: str) -> None:
    """All of it; and every third input spoilt and cut, as the campaigns do with each."""
    assert CORPUS[name]
    for number, data in enumerate(CORPUS[name]):
        targets.once(name, data)
        if number % 3:
            continue
        flipped = bytearray(data)
        if flipped:
            at = hashlib.sha1(data).digest()[0] % len(flipped)
            flipped[at] ^= 0x41
            targets.once(name, bytes(flipped))
        targets.once(name, data[: len(data) // 2])
