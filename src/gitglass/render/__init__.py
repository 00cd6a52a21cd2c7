"""Values → git's exact bytes."""
