"""The player bar with the cover of what is playing beside it."""
