"""Objects: loose and packed, looked up by name, read as a whole or by their headers; views of commits, trees, tags."""
