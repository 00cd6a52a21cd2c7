"""Perl patterns, read as PCRE2 reads them and rewritten for the search engines, or refused by name."""
