"""Rows of the listening history."""
