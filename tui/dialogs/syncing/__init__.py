"""The dialogs of syncing: setting it up, the first merge, and its current state."""
