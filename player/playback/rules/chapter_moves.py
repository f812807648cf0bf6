"""Where the keys for the chapter before and the one after lead."""

from player.model.chapters import Chapter, Chapters

AGAIN_MS = 3_000
"""So far into a chapter the way back leads to the one before, and later to its own start."""
_BLUR_MS = 200
"""After a seek to a chapter's start an engine may still be a little before it."""


def chapter_before(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The one whose start is the way back; None where that is the start of the episode."""
    started = [one for one in chapters.listed if one.start_ms <= position_ms + _BLUR_MS]
    if started and position_ms - started[-1].start_ms < AGAIN_MS:
        started.pop()
    return started[-1] if started else None


def chapter_after(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The next to begin; None in the last one."""
    return next((one for one in chapters.listed if one.start_ms > position_ms + _BLUR_MS), None)
