"""The manual page, the completions of shells and the desktop file, and registering that."""
