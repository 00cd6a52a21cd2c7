"""Names and commits: the revision grammar, its resolution, abbreviations, describe and name-rev, dates."""
