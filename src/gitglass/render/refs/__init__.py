"""The output of for-each-ref, branch and tag: fields, formats, order by version."""
