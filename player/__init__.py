"""Earmark's player: everything except the screen."""

__version__ = "1.0.0"
