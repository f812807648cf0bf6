"""The keys that control playback, and the chapters in the player bar."""
