"""The built-in podcast: a feed, a cover, three short episodes, chapters and transcripts, which
`scripts/make_welcome.py` makes."""

_KINDS = (".xml", ".opus", ".json", ".vtt", ".png")


def resource(name: str) -> bytes:
    """The bytes of a file of the show: `feed.xml`, or NAME of an address `earmark:welcome/NAME`.

    Raises FileNotFoundError for any name that is no file of the show.
    """
    from importlib.resources import files

    for entry in files("player.welcome").iterdir():
        if entry.name == name and name.endswith(_KINDS):
            return entry.read_bytes()
    raise FileNotFoundError(f"the built-in podcast has no file {name!r}")
