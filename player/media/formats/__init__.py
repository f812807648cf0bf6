"""Reads the bytes of audio files: their format, their frames and their duration."""
