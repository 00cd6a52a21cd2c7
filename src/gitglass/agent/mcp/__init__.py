"""Model Context Protocol: the tools of a profile served over stdio or streamable HTTP, by the official SDK.

`settings` reads the command line; `server` implements the protocol's methods in both versions (the handshake of
2025-11-25 and before; 2026-07-28 with independent requests: the SDK distinguishes them), each call in a thread of its
own that stops on cancellation (agent/aio.py) and reports its `progress`; `serve` connects it to a transport; `main` has
the scripts. Only `server` and `serve` import `mcp` (extra `gitglass[mcp]`).
"""
