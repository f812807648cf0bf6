"""Bookmarking what is heard: in the library, and in a Markdown file of the listener's."""
