"""Radio streams: a podcast with one live episode."""
