"""All that is the listener's as a file, and as a document to read."""
