"""The listening history: the spans that were heard, as sessions for a list and as totals for statistics."""
