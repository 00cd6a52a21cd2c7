"""Refs: loose, packed and in reftables; their names and their logs."""
