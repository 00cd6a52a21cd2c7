"""Profiles: other tools' names, parameters and answers, spoken by gitglass. Each module has `tools(**options)`.

A profile's tool makes git's argv of its parameters and asks it of the same grammar, gate and engines as all else; so
its output is git's own, and policy sees typed requests.
"""

#: all there are, by the names that hosts know them by
PROFILES = ("native", "rfc", "openharness", "nexus", "forge", "mcp-server-git")
