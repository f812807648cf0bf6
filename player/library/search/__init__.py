"""Search: parsing what was typed, the index of all words, and finding matches."""
