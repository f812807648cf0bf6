"""What the fields to type into have in common."""

MOST_LETTERS = 2_000
"""As long as an address may be. Textual draws all of a field with each key: at ten times as many it takes seconds."""
