"""The field above a list of commands: letters are typed into it, other keys stay those of the list."""

from collections.abc import Callable

from textual import events
from textual.widgets import Input


class SearchField(Input):
    """While nothing is typed yet, `take` is given each key that is no letter or digit, and says whether it took it."""

    def __init__(self, take: Callable[[str], bool], *, placeholder: str = "", max_length: int = 0) -> None:
        super().__init__(placeholder=placeholder, max_length=max_length)
        self._take = take

    async def _on_key(self, event: events.Key) -> None:
        """Runs before Textual's own handler, which would type the character."""
        if not self.value and not (event.character or "").isalnum() and self._take(event.key):
            event.stop()
            event.prevent_default()
