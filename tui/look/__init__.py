"""Themes, colours, glyphs and style sheets."""
