"""Lists whose rows aren't just episodes: what stands in them, and how each row is drawn."""
