"""Merges of texts, trees and commits in memory, as git's `ort` strategy decides them."""
