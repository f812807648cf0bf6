"""One file per directory, and reading what they send."""
