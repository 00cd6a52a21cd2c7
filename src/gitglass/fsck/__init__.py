"""git fsck: whether all objects are present, and whether each has the content that its name stands for."""
