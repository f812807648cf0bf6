"""Show notes, laid out as lines of text with roles."""
