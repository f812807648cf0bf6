"""Which theme is worn: chosen, following the terminal's background, or the listener's own."""
