"""The review as a terminal application, used by the keyboard alone. It needs the extra `gitglass[review]`."""
