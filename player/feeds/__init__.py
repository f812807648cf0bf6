"""Feeds: when they are checked, how they are fetched, and which of their episodes are new."""
