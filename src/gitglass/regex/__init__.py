"""Regular expressions as git reads them: POSIX syntax and PCRE's, the cost of a pattern, the search with a clock."""
