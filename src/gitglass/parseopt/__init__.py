"""git's parser of options for shell scripts: `git rev-parse --parseopt`."""
