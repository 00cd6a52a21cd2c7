"""The targets of pushes: the protocol that they implement, and the repositories of this machine as targets."""
