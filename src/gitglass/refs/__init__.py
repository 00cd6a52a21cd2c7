"""Refs: loose, packed and in reftables, their names, their logs."""
