"""What would a long input do? `python fuzz/pump.py [SECONDS] [TARGET...]`: pieces of the corpus repeated to many kilobytes.

A deadline can only come where the clock is looked at. So of every run the longest stretch of processor time between
two looks is taken; beyond `LONGEST` it is printed, with where it began and ended.
"""

import random
import sys
import tarfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import seeds  # noqa: E402
import targets  # noqa: E402

from gitglass.errors import GitError  # noqa: E402
from gitglass.limits import Context  # noqa: E402

LONGEST = 0.25
SIZE = 200_000

looks: list[tuple[float, str]] = []
longest: tuple[float, str, str] = (0.0, "", "")


def place() -> str:
    """The innermost lines of gitglass or the targets that are running."""
    frames = [
        frame for frame in traceback.extract_stack(limit=9) if not frame.filename.endswith(("pump.py", "limits.py"))
    ]
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-3:]))


def looked(self: Context, before: object = Context.check) -> None:
    global longest
    now, (last, where) = time.process_time(), looks[-1]
    if now - last > longest[0]:
        longest = (now - last, where, place())
    before(self)  # type: ignore[operator]
    looks.append((time.process_time(), place() if now - last > LONGEST / 8 else "a quick one"))
    del looks[:-1]


def run(name: str, data: bytes) -> None:
    global longest
    longest = (0.0, "", "")
    looks[:] = [(time.process_time(), "start")]
    with targets.harness.ctx():
        try:
            targets.TARGETS[name](data)
        except GitError:
            pass
        except AssertionError as error:
            print(f"{name}: {type(error).__name__} {error!s:.200}")
    spent = time.process_time() - looks[-1][0]
    if spent > longest[0]:
        longest = (spent, looks[-1][1], "end")


def corpus(name: str) -> list[bytes]:
    found: list[bytes] = seeds.seeds(name)
    with tarfile.open(HERE / "corpus.tar.gz") as tar:
        for member in tar:
            if Path(member.name).parent.name == name and (stream := tar.extractfile(member)) is not None:
                found.append(stream.read())
    return found


def main() -> int:
    Context.check = looked  # type: ignore[method-assign]
    seconds, names = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0, sys.argv[2:] or list(targets.TARGETS)
    found = 0
    for name in names:
        inputs, draw, worst, runs = corpus(name), random.Random(name), (0.0, "", "", b""), 0
        end = time.process_time() + seconds
        while time.process_time() < end:
            data = draw.choice(inputs)
            start = draw.randrange(len(data) + 1)
            stop = min(start + draw.choice((1, 2, 3, 8, 40, 1000)), len(data))
            piece = data[start:stop] or b" "
            run(name, data[:start] + piece * (SIZE // len(piece)) + data[stop:])
            runs += 1
            if longest[0] > worst[0]:
                worst = (*longest, data[:start][-30:] + b" [ " + piece[:40] + b" ]* " + data[stop:][:30])
        found += worst[0] > LONGEST
        print(
            f"{name:12} {runs:5} runs, longest {worst[0]:.2f} s", *(worst[1:] if worst[0] > LONGEST else ()), flush=True
        )
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
