"""The mutation check: deliberate breakages of the sources, and the tests that have to notice them.

`python -m tests.mutants` breaks the sources in one place at a time, in memory and in a process of its own, and runs the
tests that hold what was broken. `rows` has the breakages of the requirements that tests/REQUIREMENTS.md counts
(`forge_rows`, `forge_writing_rows` of document 3), `door` those of the agent's door, `found` those of what a random
comparison with git found. A mutant that no test notices is a survivor; it stands in the tables with the reason.
"""
