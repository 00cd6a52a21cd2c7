"""Configuration: the syntax of a file, the merged layers, the settings of a URL."""
