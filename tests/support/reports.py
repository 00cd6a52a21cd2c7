"""What a worker of pytest-xdist says of each test to the process that counts them: as little as is needed.

By itself it sends six messages for a test: its start, a report of each of three phases, and its end twice. Each is
made, sent, read and taken up by both processes, which for twelve thousand tests takes ten seconds of processor time.
Of a test that passes, the report of the test itself is enough.
"""

from __future__ import annotations

import pytest
from _pytest.runner import runtestprotocol


def only_what_counts(config: pytest.Config) -> bool:
    """Whether this is a worker, and nobody asks for the parts that are left out."""
    wants_phases = config.option.durations is not None or config.option.xmlpath or config.option.verbose > 0
    return hasattr(config, "workerinput") and not wants_phases


def run_reporting_what_counts(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run a test with its fixtures; report its call, and what failed or was skipped before or after it."""
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True
