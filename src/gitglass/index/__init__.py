"""The index: its file, its entries, its extensions."""
