"""Other repositories: their addresses, what of them is wanted, the ways to them. Only here are sockets opened."""
