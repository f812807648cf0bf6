"""How loud an episode is from its start on, measured from the bytes that are on this disk."""
