"""Notifications as values, what their buttons do, and the desktop's service, which shows them."""
