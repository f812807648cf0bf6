"""Podcasts that directories know, as rows."""
