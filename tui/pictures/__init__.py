"""Covers on the screen: those in memory, and pictures of pixels drawn over the cells of widgets."""
