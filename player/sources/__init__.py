"""Podcasts that aren't feeds: audio on this computer, radio streams, YouTube."""
