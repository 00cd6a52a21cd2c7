"""The objects behind commits (git-rev-list(1) --objects): order, filters, and the promises of a partial clone."""
