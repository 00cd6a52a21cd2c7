"""The command line: its grammar, its options, and the output on a terminal."""
