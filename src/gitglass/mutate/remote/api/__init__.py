"""Servers that are asked in JSON."""
