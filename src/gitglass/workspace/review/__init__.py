"""Review: what would leave a workspace, shown to a person; decisions a file or a hunk at a time, as data."""
