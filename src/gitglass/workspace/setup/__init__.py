"""The host's configuration of workspaces in a file, and the desks made from it."""
