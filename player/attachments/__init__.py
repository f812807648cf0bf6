"""What goes with an episode beside its sound: chapters and transcripts, found, fetched, kept and read."""
