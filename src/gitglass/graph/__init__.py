"""The graph of commits: positions, reachability, merge bases, filters of changed paths."""
