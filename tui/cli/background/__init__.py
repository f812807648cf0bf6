"""The player without a screen as a command, and in a process of its own."""
