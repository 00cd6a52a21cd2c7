"""From a request and the configuration to what the engines are asked: specs of walks and diffs, tips, filters."""
