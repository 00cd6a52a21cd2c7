"""Which lines of two files differ: the line diff, hunks, words, white space, drivers."""
