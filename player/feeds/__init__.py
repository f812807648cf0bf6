"""Feeds: when they are checked, how they are fetched, and what of them is new."""
