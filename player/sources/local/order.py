"""The order in which the files of a folder are heard. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from player.text.cleaning import fold

_NUMBER = re.compile(r"([0-9]+)")


class Place(NamedTuple):
    """Where a file stands: its names from the podcast's folder down, and its disc and track as its tags say."""

    parts: tuple[str, ...]
    album: str = ""
    disc: int | None = None
    track: int | None = None


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts names as people count: 1, 2, 10; regardless of case and accents."""
    pieces = _NUMBER.split(fold(name))
    return tuple((0, int(one[:300]), one) if one[:1].isdecimal() else (1, 0, one) for one in pieces if one)


def in_order(places: Sequence[Place]) -> list[int]:
    """The indexes of the places as they are heard: the files of a folder first, then its subfolders.

    Within a folder tracks count as tagged if the tags of all its files say so without a contradiction, else the names.
    """
    folders: dict[tuple[str, ...], list[int]] = {}
    for index, place in enumerate(places):
        folders.setdefault(place.parts[:-1], []).append(index)
    ordered: list[int] = []
    for folder in sorted(folders, key=lambda parts: ([natural_key(part) for part in parts], parts)):
        ordered += _files_in_order(places, folders[folder])
    return ordered


def _files_in_order(places: Sequence[Place], indexes: list[int]) -> list[int]:
    by_name = sorted(indexes, key=lambda index: (natural_key(places[index].parts[-1]), places[index].parts))
    tracks = [(places[index].disc or 1, places[index].track or 0) for index in by_name]
    discs = {places[index].disc is None for index in by_name}
    albums = {places[index].album for index in by_name}
    is_complete = all(track for _disc, track in tracks) and len(discs) == len(albums) == 1
    if not is_complete or len(set(tracks)) < len(tracks):
        return by_name
    return [index for _place, index in sorted(zip(tracks, by_name, strict=True))]
