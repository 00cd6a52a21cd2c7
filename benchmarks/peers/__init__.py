"""The same questions, asked of every tool that Python programs read repositories with; see `python -m benchmarks --help`."""
