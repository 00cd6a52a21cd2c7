"""Merges laid over index and files, and series of them: what merge, cherry-pick and revert share."""
