"""Objects: loose and packed, found by name, read whole or by their headers; commits, trees, tags as views."""
