"""Coverage-guided fuzzing with atheris: `python fuzz/run.py TARGET [SECONDS]`, or `all` for one after the other.

The corpus (`fuzz/corpus/TARGET`) begins with the seeds of `seeds.py` and keeps what reached new code; findings are
written to `fuzz/findings`. An input that takes more than a second of processor time is a finding too (`harness.py`);
`-timeout` is for what never ends. Needs `pip install atheris`.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]


def main() -> int:
    name, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "300"
    if name == "all":
        from targets import TARGETS

        failed = [one for one in TARGETS if subprocess.run([sys.executable, __file__, one, seconds]).returncode]
        print(f"{len(TARGETS)} targets, {seconds} s each; findings: {', '.join(failed) or 'none'}")
        return bool(failed)
    import atheris

    with atheris.instrument_imports(include=["gitglass"]):
        import targets
    import seeds

    corpus, findings = HERE / "corpus" / name, HERE / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    seeds.write(name, corpus)
    atheris.Setup(
        ["fuzz", str(corpus), f"-max_total_time={seconds}", "-max_len=4096", "-timeout=120", "-rss_limit_mb=1024", "-print_final_stats=0", "-verbosity=0", f"-artifact_prefix={findings}/{name}-"],
        lambda data: targets.once(name, data),
    )  # fmt: skip
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
