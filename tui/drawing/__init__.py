"""Text layout: values in, lines of text in roles out. No widget, no colour."""
