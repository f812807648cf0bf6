"""Choosing a theme, seen at once."""
