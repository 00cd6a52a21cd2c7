"""Profiles: gitglass behind the names, parameters and answers of other tools. Each module has `tools(**options)`.

A profile's tool makes git's argv of its parameters and asks it of the same grammar, gate and engines as all else; so
its output is git's own, and policy sees typed requests.
"""

#: all there are, by the names that hosts know them by
PROFILES = ("native", "rfc", "openharness", "nexus", "forge", "mcp-server-git", "ws", "workspace")
#: those whose tools work in memory, behind everything that reads; they are loaded when a host asks for them by name
ELSEWHERE = {"ws": "gitglass.workspace.tools.ws", "workspace": "gitglass.workspace.tools.document4"}
