"""Dialogs about the lists that a listener makes, and completing their searches."""
