"""Turns a request and the configuration into the input of the engines: specs of walks and diffs, tips, filters."""
