"""The listener's own programs, run when something happens."""
