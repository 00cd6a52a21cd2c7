"""Configuration: the syntax of a file, the layers merged, the settings of a URL."""
