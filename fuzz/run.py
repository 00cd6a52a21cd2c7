"""Coverage-guided fuzzing with atheris: `python fuzz/run.py TARGET [SECONDS]`, or `all [SECONDS [AT_ONCE]]`.

The corpus (`fuzz/corpus/TARGET`) begins with the seeds of `seeds.py` and what `corpus.tar.gz` keeps, and grows by what
reached new code; findings are written to `fuzz/findings`. An input that takes more than a second of processor time is a
finding too (`harness.py`); `-timeout` is for what never ends. Needs `pip install atheris`. `keep.py` packs what is
worth keeping.
"""

import re
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

_STATS = (
    rb"number_of_executed_units: (\d+)",
    rb"peak_rss_mb: *(\d+)",
    rb".*cov: (\d+)",
    rb".*ft: (\d+)",
    rb".*corp: (\d+)",
)


def main() -> int:
    name, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "300"
    if name == "all":
        from targets import TARGETS

        print("target        seconds  executions  peak MB  edges  features  corpus  finding", flush=True)
        with ThreadPoolExecutor(int(sys.argv[3]) if len(sys.argv) > 3 else 1) as pool:
            failed = [one for one in pool.map(lambda one: one if reported(one, seconds) else "", TARGETS) if one]
        print(f"{len(TARGETS)} targets, {seconds} s each; findings: {', '.join(failed) or 'none'}")
        return bool(failed)
    return fuzz(name, seconds)


def reported(name: str, seconds: str) -> int:
    """Run one target in a process of its own and print a line about it."""
    done = subprocess.run([sys.executable, __file__, name, seconds], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    (HERE / "corpus" / f"{name}.log").write_bytes(done.stderr)
    found = [re.findall(pattern, done.stderr)[-1:] for pattern in _STATS]
    numbers = [each[0].decode() if each else "?" for each in found]
    widths = (12, 9, 7, 9, 7)
    row = "".join(number.rjust(width) for number, width in zip(numbers, widths, strict=True))
    print(f"{name:12}{seconds:>9}{row}  {'FINDING' if done.returncode else 'none'}", flush=True)
    return done.returncode


def fuzz(name: str, seconds: str) -> int:
    import atheris

    with atheris.instrument_imports(include=["gitglass"]):
        import targets
    import seeds

    corpus, findings = HERE / "corpus" / name, HERE / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    seeds.write(name, corpus)
    with tarfile.open(HERE / "corpus.tar.gz") as tar:
        kept = [member for member in tar if Path(member.name).parent.name == name]
        tar.extraction_filter = lambda member, _: member  # Python 3.11.2 knows no `filter=` yet
        tar.extractall(HERE / "corpus", kept)
    atheris.Setup(
        ["fuzz", str(corpus), f"-max_total_time={seconds}", "-max_len=4096", "-timeout=120", "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={findings}/{name}-"],
        lambda data: targets.once(name, data),
    )  # fmt: skip
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
