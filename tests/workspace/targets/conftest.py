"""Servers of the targets are on this machine; those of GitHub need what checks schemas: `pip install --group test`."""

from importlib.util import find_spec

from ...support.servers import looks_soon  # noqa: F401

collect_ignore = [] if find_spec("graphql") and find_spec("jsonschema") else ["github"]
