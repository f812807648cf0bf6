"""The keys of each action: from the table, from a preset, and from the listener's [keys].

Keys are written as in config.toml: `f`, `ctrl+s`, `?`, `comma`; a sequence of two keys as `g g`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from player.text.sentences import _, translate
from player.text.typed_names import suggestion
from tui.actions.action import Action
from tui.actions.keys import canonical, is_key, parts
from tui.actions.presets import PRESETS

PRESET = "preset"
"""The entry of [keys] that names a set of keys rather than an action."""
FIXED = {"ctrl+q": "quit", "ctrl+c": "quit", "f1": "help"}
"""Keys that can't be given to another action, so that there is always a way to quit and to see all keys."""
FORMER = {"palette": "help"}
"""Entries of [keys] that have another name by now."""

Given = dict[str, tuple[str, ...]]


class KeyProblem(NamedTuple):
    """`name` is the entry of [keys] that has the problem; `what` describes it in a sentence."""

    name: str
    what: str


def remapped(changes: Mapping[str, str], actions: Sequence[Action]) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """The table with the keys of [keys] (`{"star": "f,ctrl+s"}`), and a sentence for each change that can't be made.

    A key given to an action is taken from the action that had it; so is a single key that begins a sequence (`g g`
    takes `g`). The comma key is written `comma`.
    """
    result, problems = with_problems(changes, actions)
    return result, tuple(problem.what for problem in problems)


def with_problems(
    changes: Mapping[str, str], actions: Sequence[Action]
) -> tuple[tuple[Action, ...], tuple[KeyProblem, ...]]:
    """As `remapped`, but each problem names its entry of [keys]."""
    problems: list[KeyProblem] = []
    own = dict(changes)
    preset = own.pop(PRESET, "default")
    if preset not in PRESETS:
        known = ", ".join(PRESETS)
        sentence = _(
            "In [keys] of config.toml, there is no preset “{name}”; there are {known}.", name=preset, known=known
        )
        problems.append(KeyProblem(PRESET, sentence + suggestion(preset, PRESETS)))
        preset = "default"
    result = with_keys(actions, dict(PRESETS[preset]))
    if own:
        before = {action.id: action.keys for action in result}
        given = _given(own, {action.id: action for action in actions}, problems)
        result = with_keys(result, given)
        for action in result:
            if before[action.id] and not action.keys and action.id != "quit":
                title = translate(action.title)
                what = _("“{action}” has no key now: another action has taken it.", action=title)
                problems.append(KeyProblem(action.id, what))
    return _with_ways_out(result), tuple(problems)


def with_keys(actions: Iterable[Action], given: Given) -> tuple[Action, ...]:
    """The actions with the `given` keys, which all other actions lose."""
    owners = {canonical(key): action_id for action_id, keys in given.items() for key in keys}
    begun = {parts(key)[0] for key in owners if len(parts(key)) == 2}

    def keeps(action: Action, key: str) -> bool:
        key = canonical(key)
        first, *rest = parts(key)
        return owners.get(key, action.id) == action.id and not (key in begun or (rest and first in owners))

    return tuple(
        replace(action, keys=given[action.id])
        if action.id in given
        else action
        if all(keeps(action, key) for key in action.keys)
        else replace(action, keys=tuple(key for key in action.keys if keeps(action, key)))
        for action in actions
    )


def _given(own: Mapping[str, str], known: Mapping[str, Action], problems: list[KeyProblem]) -> Given:
    """The valid keys of [keys], by action id. Adds a problem for each of the others."""
    given: Given = {}
    owners: dict[str, str] = {}
    for name, text in own.items():
        action_id = FORMER.get(name, name)
        if action_id not in known:
            near = suggestion(action_id, known)
            what = _("In [keys] of config.toml, there is no action “{name}”.", name=action_id) + near
            problems.append(KeyProblem(action_id, what))
            continue
        title = translate(known[action_id].title)
        keys = []
        for key in filter(None, (" ".join(part.split()) for part in text.split(","))):
            if not is_key(key):
                what = _("“{key}” isn't a key; “{action}” keeps its own.", key=key, action=title)
                problems.append(KeyProblem(action_id, what))
            elif fixed := next((one for one in parts(canonical(key)) if FIXED.get(one, action_id) != action_id), ""):
                always = translate(known[FIXED[fixed]].title)
                problems.append(KeyProblem(action_id, _("“{key}” is always for “{action}”.", key=fixed, action=always)))
            elif other := _other_owner(canonical(key), action_id, owners):
                title_of_other = translate(known[other].title)
                what = _("“{key}” is set for two actions; “{action}” gets it.", key=key, action=title_of_other)
                problems.append(KeyProblem(action_id, what))
            else:
                owners[canonical(key)] = action_id
                keys.append(key)
        if keys:
            before = known[action_id].keys if name in FORMER else ()
            given[action_id] = (*given.get(action_id, before), *keys)
    return given


def _other_owner(key: str, action_id: str, owners: Mapping[str, str]) -> str:
    """The id of the action that has this key, or a key of which one begins the other; "" if there is none."""
    for other, owner in owners.items():
        same = key == other and owner != action_id
        if same or (key != other and (parts(key)[:1] == [other] or parts(other)[:1] == [key])):
            return owner
    return ""


def _with_ways_out(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    result = []
    for action in actions:
        keys = action.keys
        if action.id == "help" and "f1" not in keys:
            keys = (*keys, "f1")
        elif action.id == "quit" and not keys:
            keys = ("ctrl+q",)
        result.append(action if keys == action.keys else replace(action, keys=keys))
    return tuple(result)
