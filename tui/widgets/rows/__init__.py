"""Rows of lists: an episode's, and those that aren't just episodes: bookmarks, the listening history."""
