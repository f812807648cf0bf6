"""Commands about what the listener has made of the episodes."""
