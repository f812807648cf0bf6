"""Show notes, laid out as lines of text in roles."""
