"""The review as an application on a terminal, by the keyboard alone. It needs the extra `gitglass[review]`."""
