"""The same position on every device: how it is merged, and when; and the ways to sync, each in its own folder."""
