"""What feeds say besides (`extra`, JSON as `player.feeds.parsing.podcasting20` makes it), as values."""

import json
from collections.abc import Iterator
from typing import Any

from player.model.extras import Funding, Person, Recommendation, Soundbite


def people(extra: str) -> tuple[Person, ...]:
    """Who is heard, or made it; each of a role once."""
    found = (
        Person(one["name"], one.get("role", "host"), one.get("group", "cast"), one.get("href", ""), one.get("img", ""))
        for one in _listed(extra, "person")
        if one.get("name")
    )
    return tuple(dict.fromkeys(found))


def fundings(extra: str) -> tuple[Funding, ...]:
    return tuple(Funding(one["url"], one.get("label", "")) for one in _listed(extra, "funding") if one.get("url"))


def recommendations(extra: str) -> tuple[Recommendation, ...]:
    """The podroll: podcasts whose feeds it names, each once. Those named by guid alone are left out: only a directory
    with a key knows where they are."""
    roll = _read(extra).get("podroll", {}) if '"podroll"' in extra else {}
    items = roll.get("remoteItem", ()) if isinstance(roll, dict) else ()
    found = {one["feedUrl"]: Recommendation(one["feedUrl"], one.get("title", "")) for one in items if "feedUrl" in one}
    return tuple(found.values())


def soundbites(extra: str) -> tuple[Soundbite, ...]:
    """In the order of their starts."""
    found = (
        Soundbite(round(one.get("startTime", 0) * 1000), round(one["duration"] * 1000), one.get("title", ""))
        for one in _listed(extra, "soundbite")
        if one.get("duration")
    )
    return tuple(sorted(found, key=lambda one: one.start_ms))


def topics(extra: str) -> tuple[str, ...]:
    """Apple's categories, from the broad to the narrow."""
    return tuple(map(str, _read(extra).get("topics", ())))


def kind(extra: str) -> str:
    """itunes:episodeType where it says something: `trailer`, `bonus`; of a podcast `serial`."""
    value = str(_read(extra).get("kind", ""))
    return "" if value in ("full", "episodic") else value


def _listed(extra: str, name: str) -> Iterator[dict[str, Any]]:
    yield from _read(extra).get(name, ()) if f'"{name}"' in extra else ()


def _read(extra: str) -> dict[str, Any]:
    value = json.loads(extra) if extra else {}
    return value if isinstance(value, dict) else {}
