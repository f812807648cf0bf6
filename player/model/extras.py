"""Who is heard in an episode, what supports it, what stands out: the podcast namespace, as values."""

from msgspec import Struct


class Person(Struct, frozen=True):
    """Who is heard, or made it (`podcast:person`): `role` is `host`, `guest` ..., `group` `cast` ..."""

    name: str
    role: str = "host"
    group: str = "cast"
    url: str = ""
    image_url: str = ""


class Funding(Struct, frozen=True):
    """Where listeners give something (`podcast:funding`)."""

    url: str
    label: str = ""


class Recommendation(Struct, frozen=True):
    """A podcast that another one recommends (`podcast:podroll`); `title` may be ""."""

    url: str
    title: str = ""


class Soundbite(Struct, frozen=True):
    """A piece that the publisher picked out (`podcast:soundbite`); `title` may be ""."""

    start_ms: int
    duration_ms: int
    title: str = ""
