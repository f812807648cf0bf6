"""Python's garbage collection, kept out of the time between a key and its frame, and out of what a command takes."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_SELDOM = 50_000


def postpone() -> None:
    """With the start of the process: what is loaded is no garbage, and a command is over before it has made much."""
    gc.set_threshold(_SELDOM)


def leave() -> None:
    """With the end of the process, which takes everything at once: Python would look through all of it first, 25 ms."""
    gc.freeze()


def settle() -> None:
    """With the first frame, up to which nothing was collected: what is there by now stays, and is never looked through.

    Textual's widgets, styles and compiled rules are 70,000 objects that live as long as the app does. Every few seconds
    that keys are pressed Python looks through all there is, which takes 30 to 70 ms with them and 7 ms without.
    """
    gc.freeze()
    gc.enable()


def give_back() -> None:
    """To the system what was freed and glibc keeps: after a search in 50,000 episodes 4 MB, in a million 33. For a
    thread, when nobody waits: it takes some milliseconds.
    """
    import ctypes

    with suppress(AttributeError, OSError):  # another libc keeps less
        ctypes.CDLL(None).malloc_trim(0)


def let_go_of_closed_screens() -> None:
    """Textual keeps two colours for each widget that had a border, and with them all lines the widget ever drew, of up
    to 1,024 widgets: 20 kB for each dialog that was closed.
    """
    from textual._styles_cache import StylesCache

    StylesCache.get_inner_outer.cache_clear()


@contextmanager
def many_that_stay() -> Iterator[None]:
    """While some 100,000 objects are made that belong to each other without cycles: they are never looked through.

    Else each key had to wait up to 150 ms now and then, while they are made and ever after.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
