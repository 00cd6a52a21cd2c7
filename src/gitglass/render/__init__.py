"""Writes results as git's exact bytes."""
