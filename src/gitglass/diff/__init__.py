"""Two sides → what changed: which files, and which lines."""
