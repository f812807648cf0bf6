"""Earmark's player: everything except the screen."""

__version__ = "0.1.0"
