"""Widgets. Layout that needs no widget is in tui.drawing."""
