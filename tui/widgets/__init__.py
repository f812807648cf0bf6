"""Widgets, and nothing else: what can be laid out without one is in tui.drawing."""
