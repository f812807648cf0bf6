"""Text layout: pure functions from values to lines of text with roles, without widgets and colours."""
