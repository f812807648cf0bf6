"""The names of rules, as the library keeps them: `queue`, `podcast:3`, `list:7`."""

from player.model.downloads.facts import Source


def is_rule(why: str) -> bool:
    """Whether a download was wanted by a rule, not by hand."""
    return why.partition(":")[0] in set(Source)
