"""The sidebar: filled from the library, and its keys."""
