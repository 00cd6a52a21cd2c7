"""The output of diffs: patches, statistics, summaries, combined diffs, words."""
