"""The jail: every path of a repository is resolved here, and nothing else opens a file to read."""
