"""Text layout: values in, lines of text with roles out. No widgets, no colours."""
