"""Smart lists and playlists: made, changed, counted, and what is done with their episodes."""
