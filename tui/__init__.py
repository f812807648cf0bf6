"""The user interface: the app on the screen, and the command line."""
