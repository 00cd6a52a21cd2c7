"""git fsck: whether everything is there, and is what its name says."""
