"""The colours of the built-in themes, one file per family."""
