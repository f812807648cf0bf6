"""Lists whose rows can be put in another order."""
