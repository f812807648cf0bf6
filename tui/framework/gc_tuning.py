"""Keeps garbage collection from delaying the frame after a key, or a command, and returns freed memory to the
system."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SELDOM = 50_000
_HEAPS = 2
_M_ARENA_MAX = -8
"""glibc's name for the option in `mallopt`."""
_frozen_anew = False
"""Whether `many_that_stay` has frozen objects since the last full collection."""


def postpone() -> None:
    """Call this at the start of the process: imported modules aren't garbage, and a command ends before it has made
    much."""
    gc.set_threshold(_SELDOM)


def leave() -> None:
    """Call this at the end of the process, which frees all memory at once: Python would spend 25 ms traversing all
    objects."""
    gc.freeze()


def settle() -> None:
    """Call this with the first frame, before which nothing is collected. The objects that exist by now are never
    traversed again.

    Textual's widgets, styles and compiled rules are 70,000 objects that live as long as the app. Every few seconds in
    which keys are pressed, Python traverses all objects, which takes 30 to 70 ms with these and 7 ms without.
    """
    gc.freeze()
    gc.enable()


def share_heaps() -> None:
    """Makes all threads share two of glibc's heaps. Call this before starting any thread. It takes 2 to 4 ms.

    Otherwise up to 16 threads have a heap each, which keeps the size of its busiest moment: 7 to 12 MB after a long
    page was laid out in the thread, 30 MB in all.
    """
    import ctypes

    with suppress(AttributeError, OSError):  # other C libraries have one heap for all threads
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)


def give_back() -> None:
    """Returns freed memory that glibc holds to the system: 4 MB after a search in 50,000 episodes, 33 MB in a million.

    Call this from a thread, while no key is waiting: it takes a few milliseconds; up to 0.15 s after `many_that_stay`.
    """
    import ctypes

    global _frozen_anew
    if _frozen_anew:
        _frozen_anew = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    with suppress(AttributeError, OSError):  # other C libraries hold less
        ctypes.CDLL(None).malloc_trim(0)


def let_go_of_closed_screens() -> None:
    """Clears a cache of Textual's: two colours for each widget with a border, which keep alive all lines that the
    widget has drawn.

    The cache has up to 1,024 widgets, and takes 20 kB for each closed dialog.
    """
    from textual._styles_cache import StylesCache

    StylesCache.get_inner_outer.cache_clear()


@contextmanager
def many_that_stay() -> Iterator[None]:
    """Use this while creating some 100,000 objects without reference cycles: they are traversed only once, in
    `give_back`.

    Otherwise a key would now and then wait up to 150 ms, during their creation and ever after. Other objects that exist
    at the end, such as a dialog, aren't collected before the next `give_back` either.
    """
    global _frozen_anew
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        _frozen_anew = True
