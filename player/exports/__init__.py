"""The library for other programs and other machines: all that is the listener's as JSON, and as a document to read."""
