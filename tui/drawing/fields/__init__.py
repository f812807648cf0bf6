"""Settings of one podcast by name: how each is written, shown and parsed."""
