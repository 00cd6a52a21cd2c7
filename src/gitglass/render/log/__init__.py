"""The output of git log: formats, placeholders, graph, decorations, trailers, mails."""
