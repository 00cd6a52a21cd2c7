"""`commit`: what a commit holds, what it concludes, and its plan (git-commit(1))."""
