"""The native tools that change a repository, a file each: parameters, and the request that they make."""
