"""Perl patterns, read as PCRE2 reads them and rewritten for the engine that searches, or refused by name."""
