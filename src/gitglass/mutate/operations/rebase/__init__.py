"""`rebase`: commits made anew on another base (git-rebase(1), the merge backend)."""
