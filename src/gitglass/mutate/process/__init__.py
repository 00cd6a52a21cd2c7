"""The one subprocess: programs that a host granted by value, run in a room of their own; they compute, gitglass writes.

Nothing that a repository names is ever run: its settings say that content goes through a filter, never through which
program. docs/design/writing.md, "Programs", has the rules.
"""
