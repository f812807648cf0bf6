"""The behaviour of screens, as plain classes that are handed their dependencies and run without a screen."""
