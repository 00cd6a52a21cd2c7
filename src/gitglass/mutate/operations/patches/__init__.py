"""Patches as files: what they are and what they are called, and the plan that writes them."""
