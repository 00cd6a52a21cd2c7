"""dulwich at both ends: our jailed repository as one of dulwich's, and any repository of dulwich's as ours.

`Repository.dulwich()` and `gitglass.open(repo)` lead here; nothing that starts up imports it.
"""
