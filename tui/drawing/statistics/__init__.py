"""Listening in numbers, as lines of text: a year at a time, with its calendar, and as a review in Markdown."""
