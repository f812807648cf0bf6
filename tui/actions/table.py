"""The one table of what a person can do. It feeds the bindings, the footer, the palette and the help screen.

An action's `id` is its name in [keys] of config.toml. `runs` names the function that does it: `playback.toggle` is
`toggle` of whatever a screen calls its `playback`.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from textual.binding import Binding

from player.text.sentences import _, translate
from tui.actions.action import Action
from tui.actions.groups.earmark import EARMARK
from tui.actions.groups.episodes import EPISODES
from tui.actions.groups.listen import LISTEN
from tui.actions.groups.lists import LISTS
from tui.actions.groups.moving import MOVING
from tui.actions.groups.podcasts import PODCASTS
from tui.actions.groups.queue import QUEUE
from tui.actions.keys import canonical, parts
from tui.actions.keys import is_key as is_key
from tui.actions.keys import key_label as key_label
from tui.look.glyphs import UNICODE, Glyphs

ACTIONS: tuple[Action, ...] = (*LISTEN, *MOVING, *EPISODES, *QUEUE, *LISTS, *PODCASTS, *EARMARK)

_UNBOUND = "unbound-"
"""Begins a name that is no key's: an action without a key is bound to it, so that Textual can give it one."""


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The table as Textual binds it: a key calls `action_act` of the screen. Remapped keys come by the app's keymap."""
    return [Binding(_textual_keys(action), f"act({action.id!r})", id=action.id, show=False) for action in actions]


def functions(actions: Iterable[Action], **parts: object) -> dict[str, Callable[[], object]]:
    """What each of those actions runs, by its id. Raises LookupError for one that none of the `parts` can do."""
    found: dict[str, Callable[[], object]] = {}
    for action in actions:
        part, _, name = action.runs.partition(".")
        function = getattr(parts.get(part), name, None)
        if function is None:
            raise LookupError(f"nothing here runs {action.runs}")
        found[action.id] = function
    return found


def remapped(
    changes: Mapping[str, str], actions: Sequence[Action] = ACTIONS
) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """The table with the keys of [keys], and a sentence for each change that can't be made."""
    if not changes:
        return tuple(actions), ()
    from tui.actions import remapping

    return remapping.remapped(changes, actions)


def keymap(actions: Sequence[Action]) -> dict[str, str]:
    """The keys that differ from those of the table, by action id, for Textual."""
    defaults = {action.id: action.keys for action in ACTIONS}
    return {action.id: _textual_keys(action) for action in actions if action.keys != defaults[action.id]}


def sequences(actions: Iterable[Action]) -> dict[tuple[str, str], str]:
    """The actions with two keys that are pressed one after the other, by Textual's names of these."""
    pairs = ((parts(canonical(key)), action.id) for action in actions for key in action.keys)
    return {(pair[0], pair[1]): action_id for pair, action_id in pairs if len(pair) == 2}


def keys_of(actions: Iterable[Action], ids: Container[str]) -> frozenset[str]:
    """Textual's names of the keys of those actions, of two keys of the second."""
    return frozenset(parts(canonical(key))[-1] for action in actions if action.id in ids for key in action.keys)


def key_for(action_id: str, actions: Iterable[Action], glyphs: Glyphs = UNICODE) -> str:
    """How a sentence names the listener's own key for an action; where it has none, its name in the palette."""
    action = next(action for action in actions if action.id == action_id)
    return key_label(action.keys[0], glyphs) if action.keys else _("“{title}”", title=translate(action.title))


def _textual_keys(action: Action) -> str:
    """The single keys of an action, in Textual's form."""
    return ",".join(canonical(key) for key in action.keys if len(parts(key)) == 1) or _UNBOUND + action.id
