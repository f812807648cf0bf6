"""Bytes of episodes that are kept on disk, and which bytes those are."""
