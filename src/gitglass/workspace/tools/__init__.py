"""Tools for agents over a desk: `ws` with names of our own, `workspace` with document 4's."""
