"""Lists whose rows aren't just episodes: what their rows are, and how each is drawn."""
