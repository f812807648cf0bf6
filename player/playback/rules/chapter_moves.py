"""Where the keys for the previous and the next chapter lead."""

from player.model.chapters import Chapter, Chapters

AGAIN_MS = 3_000
"""Within this much of a chapter's start, going back leads to the chapter before; later, to the start of this one."""
_BLUR_MS = 200
"""After a seek to a chapter's start, an engine may still be slightly before it."""


def chapter_before(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The chapter to go back to; None if that is the start of the episode."""
    started = [one for one in chapters.listed if one.start_ms <= position_ms + _BLUR_MS]
    if started and position_ms - started[-1].start_ms < AGAIN_MS:
        started.pop()
    return started[-1] if started else None


def chapter_after(chapters: Chapters, position_ms: int) -> Chapter | None:
    """The chapter that begins next; None in the last one."""
    return next((one for one in chapters.listed if one.start_ms > position_ms + _BLUR_MS), None)
