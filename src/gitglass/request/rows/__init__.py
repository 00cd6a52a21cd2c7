"""Typed rows of results: commits, changed files, blamed lines, the state of a work tree; pages of rows."""
