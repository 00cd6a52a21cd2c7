"""A process that answers questions with one tool: `python -m benchmarks.peers.worker TOOL REPO PATH`, one name a line.

Answers a line of JSON each: the seconds, a digest of the essence, and the peak memory of the process so far.
"""

import hashlib
import json
import resource
import sys
import time

from .questions import BY_NAME
from .tools import TOOLS


def main() -> None:
    name, place, path = sys.argv[1:4]
    tool = TOOLS[name]()
    tool.open(place)  # the modules are loaded before the clock runs
    kept = tool.open(place) if name.endswith("warm") else None
    for line in sys.stdin:
        question = BY_NAME[line.strip()]
        try:
            start = time.perf_counter()
            found = tool.ask(kept if kept is not None else tool.open(place), question, path)
            took = time.perf_counter() - start
            essence = question.essence(found) if isinstance(found, bytes) else found
            digest = hashlib.sha256(json.dumps(essence).encode()).hexdigest()
        except Exception as error:  # a tool that fails is a figure as well
            took, digest = 0.0, f"{type(error).__name__}: {error}"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([took, digest, peak]), flush=True)


if __name__ == "__main__":
    main()
