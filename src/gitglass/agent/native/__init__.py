"""The native tools, a file each: parameters, and how their answer is made of a request's entries."""
