"""Connections that follow: the status once, then a line for everything that happens."""
