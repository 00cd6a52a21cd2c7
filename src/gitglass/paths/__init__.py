"""Which paths a command is about: wildcards, pathspecs, ignore rules, attributes."""
