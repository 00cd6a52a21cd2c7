"""Bridges to dulwich: our jailed repository as a dulwich repository, and any dulwich repository as ours.

`Repository.dulwich()` and `gitglass.open(repo)` are built on this package; nothing imports it at start-up.
"""
