"""Syncing with other devices: setting it up, the first merge, and how it stands."""
