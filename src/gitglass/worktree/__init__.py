"""The files on disk, compared with the index and HEAD."""
