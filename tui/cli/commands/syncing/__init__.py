"""Commands about syncing with other devices."""
