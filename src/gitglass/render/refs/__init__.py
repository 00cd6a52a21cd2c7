"""Refs as for-each-ref, branch and tag print them: fields, formats, order by version."""
