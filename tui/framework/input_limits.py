"""Limits that all input fields share."""

MOST_LETTERS = 2_000
"""The longest address that is accepted.

Textual draws a whole field on each key: ten times as many would take seconds.
"""
