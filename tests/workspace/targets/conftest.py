"""The tests of GitHub's interfaces need what checks schemas: `pip install --group test`."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("graphql") and find_spec("jsonschema") else ["github"]
