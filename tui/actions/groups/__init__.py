"""The table of actions, one file per heading of the help screen."""
