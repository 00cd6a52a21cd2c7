"""Model Context Protocol: the tools of a profile served over stdio or streamable HTTP, by the official SDK.

`settings` reads the command line; `server` answers the protocol's methods in both of its eras (the handshake of
2025-11-25 and before; 2026-07-28, where each request stands for itself: the SDK tells them apart), each call in a
thread of its own that cancelling stops (agent/aio.py) and that tells of its `progress`; `serve` connects it to a
transport; `main` has the scripts. Only `server` and `serve` import `mcp` (extra `gitglass[mcp]`).
"""
