"""The same position on every device: what targets carry, how it is merged, and when that happens."""
