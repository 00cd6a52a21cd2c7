"""Tools for agents over a desk: `ws` with our own names, `workspace` with document 4's."""
