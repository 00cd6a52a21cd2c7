"""The native tools that change a repository, one file each: parameters, and the request that they make."""
