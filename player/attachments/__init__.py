"""What belongs to an episode besides its audio: chapters and transcripts, found, fetched, stored and read."""
