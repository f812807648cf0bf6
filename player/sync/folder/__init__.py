"""Sync through a folder: append-only journals, one writer each, that every device reads as far as they go."""
