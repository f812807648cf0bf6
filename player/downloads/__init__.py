"""Episodes as files of the listener's own."""
