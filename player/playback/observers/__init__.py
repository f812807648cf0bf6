"""Observes playback and produces discrete events, listening spans and what to save. Decides nothing."""
