"""Syncing with other devices: what opens, step by step, and syncing at once."""
