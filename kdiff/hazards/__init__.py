"""What the cluster will do that a reader of the diff may not see: one rule a file, an explicit registry."""
