"""What is fuzzed: for every parser a function of bytes that must end in a value or a `GitError`, soon and in bounds.

Where a second way to the same answer is cheap (a writer, a slower reader of ours, dulwich's), the two must agree.
Used by `run.py` (coverage-guided, atheris) and by `tests/test_fuzz_corpus.py`, which replays the corpus without it.
"""

import files as files
import harness as harness
import words as words
from harness import TARGETS as TARGETS
from harness import once as once
