"""The native tools, one file each: parameters, and the function that makes an answer from a request's entries."""
