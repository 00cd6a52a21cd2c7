"""What a person is shown of a plan beside its bare changes: lines, commits, what refs leave behind, conflicts."""
