"""Compares two sides: which files differ, and which lines."""
