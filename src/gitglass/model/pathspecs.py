"""The mixin of requests that are limited to paths."""

from .request import Pathspecs

__all__ = ["Pathspecs"]
