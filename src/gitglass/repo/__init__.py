"""A repository: where it is, its files opened on first use, and notes, mailmap, replacements, submodules."""
