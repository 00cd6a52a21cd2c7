"""git grep: expressions, one file searched, many files searched."""
