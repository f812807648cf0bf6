"""Covers in cells: a tile with a podcast's initials, and pictures drawn with blocks."""
