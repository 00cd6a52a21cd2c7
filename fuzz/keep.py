"""What of a corpus is worth keeping: `python fuzz/keep.py [TARGET...]` packs it into `corpus.tar.gz`.

The inputs are run smallest first, and one is kept that makes a step from one line of gitglass to another which none
before it made, or made about as often. Prints how many lines of its parser's files each target reaches, of all that hold code.
"""

import dis
import io
import sys
import tarfile
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCES = str(HERE.parent / "src" / "gitglass") + "/"
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import seeds  # noqa: E402
import targets  # noqa: E402

MOST = 120
LARGE = 4096
#: the files whose lines are counted, by target
ROOMS = {
    "pack": "store/packs store/delta", "idx": "store/packindex", "delta": "store/delta", "loose": "store/loose",
    "tree": "store/objects walk/fsckrules walk/fsckobjects", "commit": "store/objects store/idents walk/fsckrules walk/fsckobjects",
    "index": "store/index store/ewah", "graph": "store/commitgraph store/midx", "midx": "store/midx",
    "reftable": "store/reftable", "config": "store/config store/configfile store/globs store/urlmatch",
    "attributes": "paths/attributes", "refs": "store/reffiles store/mailmap store/reflog store/refnames",
    "ignore": "paths/ignore paths/wildmatch", "wildmatches": "paths/wildmatch", "pathspecs": "paths/pathspec",
    "revisions": "revs/spec revs/resolve revs/names", "dates": "revs/dates", "patterns": "patterns posixre",
    "formats": "render/placeholders render/refformat render/reffields", "argv": "cli/argv cli/globals model/flag",
    "diffs": "diff/lines diff/myers diff/histogram diff/patience diff/compact diff/cleanup diff/hunks diff/counts",
    "texts": "diff/merge3 diff/combined diff/words diff/patchid render/trailers render/message diff/userdiff",
}  # fmt: skip

Steps = set[tuple[str, int, int, int]]


class Tracer:
    """The steps from line to line of one run, and how often each was made."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, int, int], int] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(SOURCES):
            return None
        last = frame.f_lineno
        counts = self.counts

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            key = name, last, frame.f_lineno
            counts[key] = counts.get(key, 0) + 1
            last = frame.f_lineno
            return line

        return line


def steps_of(name: str, data: bytes) -> Steps:
    tracer = Tracer()
    sys.settrace(tracer)
    try:
        targets.once(name, data)
    except targets.harness.Slow:
        pass  # traced lines take their time
    finally:
        sys.settrace(None)
    return {(*key, count.bit_length()) for key, count in tracer.counts.items()}


def lines_with_code(path: Path) -> set[int]:
    found: set[int] = set()
    todo: list[CodeType] = [compile(path.read_text(), str(path), "exec")]
    while todo:
        code = todo.pop()
        if code.co_name != "<module>" and not code.co_flags & 0x2000:
            found |= {line for _, line in dis.findlinestarts(code) if line and line != code.co_firstlineno}
        todo += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found


def kept(name: str) -> list[bytes]:
    """The inputs worth keeping; says what they reach."""
    inputs = {path.read_bytes() for path in (HERE / "corpus" / name).glob("*")}
    with tarfile.open(HERE / "corpus.tar.gz") as tar:
        for member in tar:
            if Path(member.name).parent.name == name and (stream := tar.extractfile(member)) is not None:
                inputs.add(stream.read())
    known: Steps = set()
    for seed in seeds.seeds(name):
        known |= steps_of(name, seed)
    found = []
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        if len(data) > LARGE or len(found) >= MOST:
            break
        new = steps_of(name, data) - known
        if new:
            known |= new
            found.append(data)
    reached: dict[str, set[int]] = defaultdict(set)
    for file, _, line, _ in known:
        reached[file].add(line)
    rows = [SOURCES + room + ".py" for room in ROOMS[name].split()]
    lines = {row: lines_with_code(Path(row)) for row in rows}
    have, whole = sum(len(reached[row] & lines[row]) for row in rows), sum(map(len, lines.values()))
    print(
        f"{name:12} {len(inputs):6} inputs, {len(found):4} kept; {have} of {whole} lines ({100 * have // whole} %)",
        flush=True,
    )
    return found


def main() -> None:
    names = sys.argv[1:] or list(targets.TARGETS)
    found = {name: kept(name) for name in names}
    archive = HERE / "corpus.tar.gz"
    if not sys.argv[1:]:
        with tarfile.open(archive, "w:gz") as tar:
            for name, inputs in found.items():
                for number, data in enumerate(inputs):
                    member = tarfile.TarInfo(f"{name}/{number:04}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
        print(f"{archive.name}: {archive.stat().st_size} bytes")


if __name__ == "__main__":
    main()
