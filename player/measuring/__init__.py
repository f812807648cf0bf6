"""Measurements of an episode's audio, as far as it is on this disk: each kind by itself, all from one decoding."""
