"""Playback: the service and its thread, the controller of one episode, and what decides where it goes."""
