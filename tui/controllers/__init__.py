"""The behaviour of screens: plain classes that are given what they need, and run without a screen."""
