"""Which paths are meant: wildcards, pathspecs, ignore rules, attributes."""
