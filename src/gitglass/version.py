"""Which gitglass this is, and which git it answers as."""

__version__ = "0.1.0"

#: the release of git whose answers these are
MIRRORED = "2.39.5"
