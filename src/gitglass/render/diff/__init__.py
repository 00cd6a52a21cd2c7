"""Diffs as git prints them: patches, statistics, summaries, combined diffs, words."""
