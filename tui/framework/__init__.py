"""The code that depends on Textual's internals."""
