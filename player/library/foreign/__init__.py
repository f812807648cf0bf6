"""Databases of other apps: opened read-only, within bounds, and read."""
