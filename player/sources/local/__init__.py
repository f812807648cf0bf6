"""Audio on this computer: a folder or a file as a podcast. Nothing here changes a file."""
