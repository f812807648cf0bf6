"""The terminal: its driver, escape codes and clipboard, and links that are opened from it."""
