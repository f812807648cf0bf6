"""The number of an episode in the full-text index: the second it was published in, then its id.

FTS5 reads rows by number, so the newest come first.
"""

ID_BITS = 28
ID_MASK = (1 << ID_BITS) - 1

_FARTHEST_S = 1 << 33


def row_number(sort: int, episode_id: int) -> int:
    """`sort` in ms since 1970."""
    second = max(-_FARTHEST_S, min(sort // 1000, _FARTHEST_S))
    return second << ID_BITS | episode_id


def first_number(ms: int) -> int:
    """No episode from that time on has a lower number."""
    return row_number(ms, 0)


def podcast_word(podcast_id: int) -> str:
    """The word for a podcast in the index."""
    return f"p{podcast_id}"
