"""Typed requests and results; each option is declared once."""
