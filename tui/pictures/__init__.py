"""Covers on the screen: pictures in memory, and pixel pictures over the cells of widgets."""
