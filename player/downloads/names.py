"""Names of downloaded files: from a template, and fit for every file system."""

import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath

from player.model.episode import Episode
from player.text.cleaning import clean_line

_LONGEST = 230
"""Bytes in UTF-8, and UTF-16 units decomposed as HFS+ does. 255 are allowed: a number and a suffix are added."""
_MOST_FOLDERS = 8
_UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f]+')
_FIELD = re.compile(r"\{(\w*)\}")
_DEVICES = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(?:COM|LPT)[0-9¹²³])[ ]*(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, with any suffix."""


def name_of(template: str, episode: Episode, season: int | None = None, number: str = "") -> PurePosixPath:
    """The file's path below the downloads folder, without its suffix.

    `season` and `number` are the episode's. Only a slash of the template itself begins another folder.
    """
    day = episode.published.astimezone() if episode.published else None
    values = {
        "podcast": episode.podcast,
        "title": episode.title,
        "date": f"{day:%Y-%m-%d}" if day else "",
        "year": f"{day:%Y}" if day else "",
        "season": "" if season is None else str(season),
        "episode": number,
        "guid": episode.guid,
    }
    *folders, name = [_filled(part, values) for part in template.split("/")]
    otherwise = fit(episode.title) or fit(episode.guid) or "episode"
    return PurePosixPath(*[folder for folder in folders if folder][:_MOST_FOLDERS], name or otherwise)


def fit(text: str) -> str:
    """`text` as the name of a file or folder on any system; "" where nothing of it can be."""
    there = text.encode("utf-8", "replace").decode()
    name = unicodedata.normalize("NFC", clean_line(there, 1000))
    name = re.sub(r"\s+", " ", _UNFIT.sub(" ", name))
    # Windows drops dots and spaces at the end; a dot at the beginning hides a file.
    name = _shortened(name.strip(" .")).strip(" .")
    return f"_{name}" if _DEVICES.fullmatch(name) else name


def same_name(name: str) -> str:
    """Names for which this is equal are one name on some systems."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _filled(part: str, values: Mapping[str, str]) -> str:
    return fit(_FIELD.sub(lambda field: values.get(field[1], field[0]), part))


def _shortened(name: str) -> str:
    while _length(name) > _LONGEST:
        name = name[: -max(1, (_length(name) - _LONGEST) // 6)]
        # What is left must not end within a letter and its accents.
        while name and (unicodedata.combining(name[-1]) or name[-1] == "\u200d"):
            name = name[:-1]
    return name


def _length(name: str) -> int:
    decomposed = unicodedata.normalize("NFD", name)
    return max(len(name.encode()), len(decomposed.encode("utf-16-le")) // 2)
