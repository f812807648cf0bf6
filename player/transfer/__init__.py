"""Coming from another app: its file recognised and read, previewed, and merged into the library."""
