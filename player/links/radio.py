"""Addresses of podcasts that are radio streams: `radio:` and the web address of the stream, or of its playlist."""

_SCHEME = "radio:"


def radio_address(stream: str) -> str:
    return f"{_SCHEME}{stream}"


def is_radio(address: str) -> bool:
    return address.startswith(_SCHEME)


def stream_of(address: str) -> str:
    """The web address in one; other addresses as they are."""
    return address.removeprefix(_SCHEME)
