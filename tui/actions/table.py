"""The one table of what a person can do. It feeds the bindings, the footer, the palette and the help screen.

An action's `id` is its name in [keys] of config.toml. `runs` names the function that does it: `playback.toggle` is
`toggle` of whatever a screen calls its `playback`.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from unicodedata import name as unicode_name

from msgspec.structs import replace
from textual.binding import Binding
from textual.keys import Keys

from player.settings import suggestion
from player.text.sentences import _, translate
from tui.actions.action import Action
from tui.actions.groups.earmark import EARMARK
from tui.actions.groups.episodes import EPISODES
from tui.actions.groups.listen import LISTEN
from tui.actions.groups.lists import LISTS
from tui.actions.groups.moving import MOVING
from tui.actions.groups.podcasts import PODCASTS
from tui.actions.groups.queue import QUEUE
from tui.look.glyphs import UNICODE, Glyphs

ACTIONS: tuple[Action, ...] = (*LISTEN, *MOVING, *EPISODES, *QUEUE, *LISTS, *PODCASTS, *EARMARK)

_NAMED = frozenset(str(key.value) for key in Keys) | {"space"}
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "meta"})
_LABELS = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "minus": "-",
    "equals_sign": "=", "plus": "+", "comma": ",", "full_stop": ".", "escape": "esc", "pagedown": "page down",
    "pageup": "page up", "delete": "del",
}  # fmt: skip


def bindings(actions: Iterable[Action] = ACTIONS) -> list[Binding]:
    """The table as Textual binds it: a key calls `action_act` of the screen. Remapped keys come by the app's keymap."""
    return [
        Binding(",".join(map(_textual_name, action.keys)), f"act({action.id!r})", id=action.id, show=False)
        for action in actions
        if action.keys
    ]


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
    """The table with the keys of [keys] (`{"star": "f,ctrl+s"}`), and a sentence for each change that can't be made.

    A key given to one action is taken from the one that had it. A comma as a key is written `comma`.
    """
    known = {action.id: action for action in actions}
    given: dict[str, str] = {}
    changed: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for action_id, text in changes.items():
        if action_id not in known:
            near = suggestion(action_id, known)
            problems.append(_("In [keys] of config.toml, there is no action “{name}”.", name=action_id) + near)
            continue
        keys = []
        for key in filter(None, (part.strip() for part in text.split(","))):
            if not is_key(key):
                title = translate(known[action_id].title)
                problems.append(_("“{key}” isn't a key; “{action}” keeps its own.", key=key, action=title))
            elif given.setdefault(key, action_id) != action_id:
                title = translate(known[given[key]].title)
                problems.append(_("“{key}” is set for two actions; “{action}” gets it.", key=key, action=title))
            else:
                keys.append(key)
        if keys:
            changed[action_id] = tuple(keys)
    result = []
    for action in actions:
        keys_now = changed.get(action.id) or tuple(key for key in action.keys if given.get(key, action.id) == action.id)
        if action.keys and not keys_now:
            title = translate(action.title)
            problems.append(_("“{action}” has no key now: another action has taken it.", action=title))
        result.append(replace(action, keys=keys_now))
    return tuple(result), tuple(problems)


def keymap(actions: Sequence[Action]) -> dict[str, str]:
    """The keys that differ from those of the table, by action id, for Textual."""
    defaults = {action.id: action.keys for action in ACTIONS}
    return {
        action.id: ",".join(map(_textual_name, action.keys))
        for action in actions
        if action.keys and action.keys != defaults[action.id]
    }


def keys_of(actions: Iterable[Action], ids: Container[str]) -> frozenset[str]:
    """Textual's names of the keys of those actions."""
    return frozenset(_textual_name(key) for action in actions if action.id in ids for key in action.keys)


def is_key(key: str) -> bool:
    """Whether a terminal can send a key of that name."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= _MODIFIERS:
        return False
    return (len(last) == 1 and last.isprintable()) or last in _NAMED or last in _LABELS or key in _NAMED


def key_label(key: str, glyphs: Glyphs = UNICODE) -> str:
    """How a key is written for a reader: `ctrl+d`, `←`, `?`, `esc`."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}
    label = arrows.get(last) or _LABELS.get(last, last)
    return "+".join([*modifiers, label])


def key_for(action_id: str, actions: Iterable[Action], glyphs: Glyphs = UNICODE) -> str:
    """How a sentence names the listener's own key for an action; where it has none, its name in the palette."""
    action = next(action for action in actions if action.id == action_id)
    return key_label(action.keys[0], glyphs) if action.keys else _("“{title}”", title=translate(action.title))


def _textual_name(key: str) -> str:
    """Textual's name for a key that is written as its character."""
    if len(key) > 1 or key.isalnum():
        return key
    names = {"-": "minus", "+": "plus", "/": "slash", "\\": "backslash", "@": "at", "_": "underscore"}
    return names.get(key) or unicode_name(key, key).lower().replace("-", "_").replace(" ", "_")
