"""All the listener's data as a file, and as a document to read."""
