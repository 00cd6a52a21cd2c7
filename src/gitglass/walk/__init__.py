"""Commits in order, and what is found by walking them: histories, blame, merge bases, the checks of fsck."""
