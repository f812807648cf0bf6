"""The terminal itself: its driver, its escape codes, its clipboard, and links opened from it."""
