"""What a host says of workspaces in a file, and the desks made of it."""
