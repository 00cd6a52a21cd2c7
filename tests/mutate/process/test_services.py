from gitglass.mutate.process.services import Outcome, Outcomes, not_granted


def test_outcomes_are_bounded() -> None:
    outcomes = Outcomes()
    for number in range(5):
        outcomes.put(b"%d" % number, Outcome(0, bytes(20 << 20), b""))
        outcomes.get(b"0")
    assert outcomes.get(b"4") is not None and outcomes.get(b"1") is None
    assert outcomes.get(b"0") is not None


def test_an_outcome_that_is_put_again_counts_once() -> None:
    outcomes = Outcomes()
    for _ in range(10):
        outcomes.put(b"x", Outcome(0, bytes(20 << 20), b""))
    outcomes.put(b"y", Outcome(0, b"", b""))
    assert outcomes.get(b"x") is not None


def test_a_refusal_says_what_it_would_need() -> None:
    error = not_granted(b"a.psd", b"lfs-crypt", "clean")
    assert "'a.psd'" in error.message and "'lfs-crypt'" in error.message and "clean program" in str(error.hint)
