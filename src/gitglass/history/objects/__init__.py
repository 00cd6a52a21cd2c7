"""The objects behind commits (git-rev-list(1) --objects): order, filters, what a partial clone was promised."""
