"""Downloads: episodes as files that belong to the listener."""
