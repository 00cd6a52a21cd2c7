"""Profiles: gitglass with the names, parameters and answers of other tools. Each module has `tools(**options)`.

A profile's tool makes git's argv from its parameters and runs it through the same grammar, gate and engines as
everything else; so its output is git's own, and the policy sees typed requests.
"""

#: all profiles, by the names that hosts use for them
PROFILES = ("native", "rfc", "openharness", "nexus", "forge", "mcp-server-git", "ws", "workspace")
#: profiles whose tools work in memory, listed after all that read; loaded when a host names them
ELSEWHERE = {"ws": "gitglass.workspace.tools.ws", "workspace": "gitglass.workspace.tools.document4"}
