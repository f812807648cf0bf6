"""Search: what was typed, the index of all words, and what is found in it."""
