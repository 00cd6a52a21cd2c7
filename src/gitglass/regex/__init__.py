"""Regular expressions as git reads them: POSIX and PCRE syntax, the cost of a pattern, a search within a deadline."""
