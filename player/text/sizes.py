"""Amounts of data as people write them: 2 GB, 500MB, 1.5 GiB."""

import re

from player.text.regional import region
from player.text.sentences import _

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_size(text: str) -> int:
    """The size in bytes. Raises ValueError with a sentence for the user."""
    found = _SIZE.fullmatch(text.strip())
    if not found or (found[3] and not found[2]):
        raise ValueError(_("invalid size “{text}”; use 2 GB, 500 MB or 1.5 GiB", text=text))
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2].lower()])


def size_label(size: float) -> str:
    """Bytes in a few characters: `812 kB`, `1.5 MB`, `12 GB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    if size >= 10 or unit == "B":
        return f"{size:.0f} {unit}"
    return f"{size:.1f} {unit}".replace(".", region().decimal)
