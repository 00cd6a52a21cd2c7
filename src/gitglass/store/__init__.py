"""git's files become git's values. The only package that opens a file of a repository."""
