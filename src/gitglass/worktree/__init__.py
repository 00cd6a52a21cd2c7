"""Files on disk against the index and HEAD."""
