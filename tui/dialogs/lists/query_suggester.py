"""Completing the filters of a search while it is typed: the rest stands muted after the cursor, `→` takes it."""

from textual.suggester import Suggester

from player.library.search.completion import Names, complete


class QuerySuggester(Suggester):
    """`names` are those of podcasts and tags, once they have been read."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names = Names()

    async def get_suggestion(self, value: str) -> str | None:
        return complete(value, self.names)
