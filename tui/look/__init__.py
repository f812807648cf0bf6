"""Themes, glyphs and style sheets."""
