"""Review: the changes that a push would send, shown to a person; decisions by file or by hunk, as data."""
