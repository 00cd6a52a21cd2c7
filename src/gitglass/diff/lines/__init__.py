"""The line diff of two files: changed lines, hunks, words, white space, drivers."""
