"""Keeps Python's garbage collection from delaying a key's frame or a command, and freed memory from being kept."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SELDOM = 50_000
_HEAPS = 2
_M_ARENA_MAX = -8
"""glibc's name for the option in `mallopt`."""
_frozen_anew = False
"""Whether anything was frozen since the last collection of all objects."""


def postpone() -> None:
    """At the start of the process: what is loaded isn't garbage, and a command ends before it has made much."""
    gc.set_threshold(_SELDOM)


def leave() -> None:
    """At the end of the process, which frees everything at once: Python would first traverse all of it, 25 ms."""
    gc.freeze()


def settle() -> None:
    """With the first frame, before which nothing is collected: what exists by now stays, and is never traversed again.

    Textual's widgets, styles and compiled rules are 70,000 objects that live as long as the app. Every few seconds in
    which keys are pressed, Python traverses all objects, which takes 30 to 70 ms with these and 7 ms without.
    """
    gc.freeze()
    gc.enable()


def share_heaps() -> None:
    """Threads that start from now on share two of glibc's heaps. To be called while there are none. It takes 2 to 4 ms.

    Otherwise up to 16 threads have one each, and in each stays what its busiest moment took: 7 to 12 MB, after a long
    page was laid out in it, 30 MB in all.
    """
    import ctypes

    with suppress(AttributeError, OSError):  # other C libraries have one for all
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)


def give_back() -> None:
    """Returns freed memory that glibc keeps to the system: 4 MB after a search in 50,000 episodes, 33 in a million.

    To be called from a thread when nobody is waiting: it takes a few milliseconds; up to 0.15 s after `many_that_stay`.
    """
    import ctypes

    global _frozen_anew
    if _frozen_anew:
        _frozen_anew = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    with suppress(AttributeError, OSError):  # other C libraries keep less
        ctypes.CDLL(None).malloc_trim(0)


def let_go_of_closed_screens() -> None:
    """Textual caches two colours for each widget that had a border, which keeps all lines the widget ever drew alive.

    It does so for up to 1,024 widgets: 20 kB for each dialog that was closed.
    """
    from textual._styles_cache import StylesCache

    StylesCache.get_inner_outer.cache_clear()


@contextmanager
def many_that_stay() -> Iterator[None]:
    """While some 100,000 objects without reference cycles are created: they are traversed once, in `give_back`.

    Otherwise a key would now and then wait up to 150 ms, during their creation and ever after. What else there was at
    the end of it, such as a dialog, isn't collected before the next `give_back` either.
    """
    global _frozen_anew
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        _frozen_anew = True
