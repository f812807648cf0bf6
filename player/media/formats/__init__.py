"""What can be learned from audio bytes: their format, their frames, their duration."""
