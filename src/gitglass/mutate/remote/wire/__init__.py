"""How bytes travel: connections that end in time, and what is told of a transfer."""
