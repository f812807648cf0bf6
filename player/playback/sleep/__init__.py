"""The sleep timer: how it runs and fades, when it starts by itself, and how it ends the sound."""
