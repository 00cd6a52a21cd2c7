"""Packs of other repositories: taken apart, judged, held until they may be kept; and packs for others."""
