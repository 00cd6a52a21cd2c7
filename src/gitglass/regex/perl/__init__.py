"""Perl patterns, read as PCRE2 reads them and written anew for the engine that searches, or refused by name."""
