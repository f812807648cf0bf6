"""Widgets, and nothing else. What can be laid out without a widget is in tui.drawing."""
