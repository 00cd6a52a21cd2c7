"""Where a workspace's commits leave to: what a target has to do, and the repositories of this machine as targets."""
