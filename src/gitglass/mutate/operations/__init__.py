"""One operation, one file: a function from a request and a view to a plan."""
