"""The same position on every device: how it is merged, and when that happens; and the ways to sync, a folder each."""
