"""support/reports.py: whatever does not pass is reported, and of what passes no more than that."""

from types import SimpleNamespace
from typing import Any

import pytest

from .support import reports
from .support.reports import only_what_counts, run_reporting_what_counts


def phase(when: str, outcome: str = "passed") -> Any:
    return SimpleNamespace(when=when, outcome=outcome, passed=outcome == "passed")


@pytest.mark.parametrize(
    ("phases", "sent"),
    [
        ([phase("setup"), phase("call"), phase("teardown")], ["call passed"]),
        ([phase("setup"), phase("call", "failed"), phase("teardown")], ["call failed"]),
        ([phase("setup"), phase("call"), phase("teardown", "failed")], ["call passed", "teardown failed"]),
        ([phase("setup", "skipped"), phase("teardown")], ["setup skipped"]),
        ([phase("setup", "failed"), phase("teardown", "failed")], ["setup failed", "teardown failed"]),
    ],
)
def test_what_is_sent(phases: list[Any], sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    hooks = SimpleNamespace(pytest_runtest_logreport=lambda report: seen.append(f"{report.when} {report.outcome}"))
    monkeypatch.setattr(reports, "runtestprotocol", lambda item, log, nextitem: phases)
    item: Any = SimpleNamespace(ihook=hooks)
    assert run_reporting_what_counts(item, None)
    assert seen == sent


def test_only_a_worker_and_only_where_nobody_asks_for_more() -> None:
    def config(*, worker: bool = True, **asked: Any) -> Any:
        options = SimpleNamespace(**{"durations": None, "xmlpath": None, "verbose": -1} | asked)
        return SimpleNamespace(option=options, **({"workerinput": {}} if worker else {}))

    assert only_what_counts(config())
    assert not only_what_counts(config(worker=False))
    assert not only_what_counts(config(durations=10)) and not only_what_counts(config(xmlpath="report.xml"))
    assert not only_what_counts(config(verbose=1))
