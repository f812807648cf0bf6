"""All that the app does can be done by commands, but for what only moves about on the screen."""

import pytest

from tui.actions.table import ACTIONS, BY_COMMAND, SCREEN_ONLY
from tui.cli.registry import load, parser, read


def test_each_action_has_a_command_or_is_about_the_screen_alone() -> None:
    known = [*BY_COMMAND, *SCREEN_ONLY]
    assert sorted(known) == sorted(action.id for action in ACTIONS)


@pytest.mark.parametrize("line", sorted(set(BY_COMMAND.values())))
def test_each_command_is_one_that_earmark_takes(line: str) -> None:
    earmark, name, *arguments = line.split()
    assert earmark == "earmark"
    if name != "help":
        read(parser(name, load(name)), arguments)
