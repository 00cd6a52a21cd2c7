"""A repository: its location, its files opened on first use, and notes, mailmap, replacements, submodules."""
