"""What `git stash` keeps: entries, what an entry holds, and how single parts of it are taken out and put back."""
