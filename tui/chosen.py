"""What was chosen in the app over what config.toml says: it holds until config.toml says something else."""

from player.player import Player


def choose(player: Player, name: str, value: str, configured: str) -> None:
    """For the starts to come. `configured` is what config.toml says of it now."""
    player.remember(name, f"{value} over {configured}")


def chosen(player: Player, name: str, configured: str) -> str:
    """The last choice, unless config.toml has changed since; else what that says."""
    value, _, over = player.remembered(name).partition(" over ")
    return value if value and over == configured else configured
