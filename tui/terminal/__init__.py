"""The terminal itself: its driver, its codes, its clipboard, links out of it."""
