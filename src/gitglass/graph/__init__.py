"""The graph of commits: positions, reachability, merge bases, Bloom filters of changed paths."""
