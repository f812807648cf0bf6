"""Chapters of an episode, from every source and in every format."""
