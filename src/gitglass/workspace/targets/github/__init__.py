"""Repositories on GitHub as targets: by git's own protocol, by the REST interface, or by GraphQL."""
