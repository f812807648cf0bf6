"""Transcripts of the listener's own: the engines that turn audio into words, and what they are asked to do."""
