"""The jail: resolves every path of a repository, and is the only code that opens files to read."""
