"""`python -m gitglass`, and the `gitglass` script: the command line as a process of its own.

A process that lives for some hundredths of a second has other needs than a library: nothing of it becomes garbage
before it ends, and tearing it down object by object takes longer than many an answer. So the collector waits until a
command has allocated more than short ones do, and the process leaves as soon as its output is written. Both are done
here and nowhere else: `cli.main.main` can be called by a program that goes on.
"""

import gc
import os
import sys

#: how many objects a command may have before the collector looks at it, as it usually does, for the first time
ALLOCATIONS = 200_000


def run() -> None:
    """Answer the command line of the process, and end the process with the answer's status."""
    usual = gc.get_threshold()
    gc.set_threshold(ALLOCATIONS)

    def collect_as_usual(phase: str, info: object) -> None:
        gc.callbacks.remove(collect_as_usual)
        gc.set_threshold(*usual)

    gc.callbacks.append(collect_as_usual)
    from .cli.main import main

    gc.freeze()  # what is loaded by now stays
    status = main()
    if sys.gettrace() is None and sys.getprofile() is None:  # those have something to write at the end
        _leave(status)
    sys.exit(status)


def _leave(status: int) -> None:
    """End the process without tearing it down; returns where the interpreter has an error in writing to report."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(status)


if __name__ == "__main__":
    run()
