"""Index and files from one tree to another: what moves, what is in the way, what is carried along."""
