"""Text selected with the mouse: which of it, and how it reads when it is copied."""
