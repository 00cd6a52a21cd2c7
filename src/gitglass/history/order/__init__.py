"""Topological order: of a complete list, of a whole history, by number, and without the list of all commits."""
