"""What is computed from the audio of an episode that is on this disk: each kind by itself, all from one decoding."""
