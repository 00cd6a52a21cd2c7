"""Topological order: of a finished list, of a whole history, by number, and without the list of all commits."""
