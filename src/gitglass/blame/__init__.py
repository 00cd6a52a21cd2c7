"""git blame: which commit each line of a file comes from."""
