"""Commits as git log prints them: formats, placeholders, graph, decorations, trailers, mails."""
