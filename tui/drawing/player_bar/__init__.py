"""The parts of the player bar: its head, times, words, and all of it in one line."""
