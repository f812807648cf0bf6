"""Covers: the images that they are made from, fetched, cached, and scaled in a process of its own."""
