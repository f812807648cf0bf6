"""Python's garbage collection, kept out of the time between a key and its frame."""

import gc


def settle() -> None:
    """With the first frame, up to which nothing was collected: what is there by now stays, and is never looked through.

    Textual's widgets, styles and compiled rules are 70,000 objects that live as long as the app does. Every few seconds
    that keys are pressed Python looks through all there is, which takes 30 to 70 ms with them and 7 ms without.
    """
    gc.freeze()
    gc.enable()
