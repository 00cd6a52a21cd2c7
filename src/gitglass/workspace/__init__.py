"""The workspace: files that exist in memory only, staged as real commits, reviewed, and pushed by compare-and-swap.

    base commit ─▶ overlay ─stage─▶ staged commits ─▶ review ─▶ push plan ─approve─▶ target

Nothing that reads imports this room. `Workspace` itself opens no file and no socket; only targets do
(`workspace.targets`), and a host makes these. Mirrors document 4 of the project's brief.
"""
