"""The types of documents by their names: they take 10 ms to load, which most commands needn't spend."""

from typing import Any


def document(name: Any) -> Any:
    """The type that a name stands for: `Podcast`, `list[Podcast]` or `Podcast | None`. A type stands for itself.

    Raises LookupError.
    """
    if not isinstance(name, str):
        return name
    if name.endswith(" | None"):
        return document(name.removesuffix(" | None")) | None
    if name.startswith("list["):
        return list[document(name[5:-1])]  # type: ignore[misc]
    from player.integrations.documents import commands, library, playback, syncing

    for module in (commands, library, playback, syncing):
        if (found := getattr(module, name, None)) is not None:
            return found
    raise LookupError(name)
