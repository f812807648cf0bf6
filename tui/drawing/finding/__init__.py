"""Podcasts that directories know, as text; and links to them."""
