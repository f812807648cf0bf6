"""Dialogs about one podcast: its tags, its title."""
