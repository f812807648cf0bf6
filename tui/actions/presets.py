"""Sets of keys for people who come from another program: `[keys] preset` in config.toml.

A preset gives keys to some actions, and takes them from the actions that had them; all other actions keep their own.
The default has the keys of a week's listening. What is done more seldom is in the list of commands, and has a key in
all other presets, unless they use that key otherwise; `full` only adds these keys.
The keys of castero are from its castero.conf (0.9.5), the keys of newsboat from its manual (2.21).
"""

from collections.abc import Mapping

Preset = Mapping[str, tuple[str, ...]]

FULL: Preset = {
    "focus_mode": ("F",), "hide_played": ("H",), "mini_mode": ("M",), "narrower": ("<",), "offline": ("O",),
    "pane_narrower": ("{",), "pane_wider": ("}",), "pause_downloads": ("Z",), "people": ("p",), "pin": ("^",),
    "playlist": ("P",), "rename": ("f2",), "statistics": ("S",), "tags": ("#",), "wider": (">",),
}  # fmt: skip
_VIM: Preset = {
    "first": ("g g", "home"),
    "last": ("G", "end"),
    "page_down": ("ctrl+f", "pagedown"),
    "page_up": ("ctrl+b", "pageup"),
    "screen_top": ("H",),
    "screen_middle": ("M",),
    "screen_bottom": ("L",),
    "center": ("z z",),
    "pane_left": ("h", "ctrl+w h"),
    "pane_right": ("l", "ctrl+w l"),
    "next_pane": ("tab", "ctrl+w w"),
    "search": ("g /",),
    "help": (":", "?", "ctrl+p", "f1"),
    "quit": ("q", "Z Z", "Z Q"),
    "undo": ("u",),
    "undo_jump": ("U",),
    "order": ("g o",),
    "hide_played": ("g h",),
    "pause_downloads": ("g Z",),
}
_EMACS: Preset = {
    "down": ("ctrl+n", "down"),
    "up": ("ctrl+p", "up"),
    "page_down": ("ctrl+v", "pagedown"),
    "page_up": ("alt+v", "pageup"),
    "first": ("alt+<", "home"),
    "last": ("alt+>", "end"),
    "pane_right": ("ctrl+f", "l"),
    "pane_left": ("ctrl+b", "h"),
    "next_pane": ("tab", "ctrl+x o"),
    "center": ("ctrl+l",),
    "filter": ("ctrl+s", "/"),
    "search": ("alt+s",),
    "back": ("ctrl+g", "escape"),
    "help": ("alt+x", "?", "f1"),
    "select_all": ("ctrl+x h",),
    "undo": ("ctrl+x u", "U"),
    "copy_link": ("alt+w", "y"),
    "go_back": ("ctrl+x b", "ctrl+o"),
    "quit": ("q", "ctrl+x ctrl+c"),
}
_CASTERO: Preset = {
    "help": ("h", "?", "f1"),
    "remove": ("d", "delete"),
    "refresh_all": ("r",),
    "refresh": ("R",),
    "download": ("s", "x"),
    "down": ("down",),
    "up": ("up",),
    "pane_left": ("left",),
    "pane_right": ("right",),
    "queue": ("space",),
    "queue_clear": ("c",),
    "restart": ("z",),
    "order": ("i",),
    "pause": ("p", "k"),
    "seek_forward": ("f", "l"),
    "seek_back": ("b", "j"),
    "links": ("u",),
    "star": ("*",),
    "segment_skip": ("&",),
    "undo_jump": ("backspace",),
    "normal_speed": ("\\",),
    "bookmark": ("`",),
    "about": ("I",),
    "podcast_settings": ("C",),
    "people": ("W",),
    "dismiss": ("X",),
    "follow": ("g f",),
    "first": ("g g", "home"),
}
_NEWSBOAT: Preset = {
    "quit": ("q", "Q"),
    "played": ("N", "m"),
    "next_episode": ("J", "n"),
    "previous_episode": ("K", "p"),
    "links": ("o", "u"),
    "filter": ("/", "F"),
    "order": ("g", "G"),
    "first": ("home",),
    "last": ("end",),
    "help": (":", "?", "ctrl+p", "f1"),
    "hide_played": ("l",),
    "pane_right": ("L",),
    "bookmark": ("ctrl+b", "b"),
    "tags": ("t", "#"),
    "dismiss": ("D", "x"),
    "sleep": ("T",),
    "skip": (">",),
    "undo_jump": ("z",),
    "people": ("W",),
}


def _over_full(preset: Preset) -> Preset:
    taken = {first for keys in preset.values() for key in keys for first in (key, key.split(" ")[0])}
    return {action_id: keys for action_id, keys in FULL.items() if taken.isdisjoint(keys)} | dict(preset)


PRESETS: Mapping[str, Preset] = {
    "default": {},
    "full": FULL,
    "vim": _over_full(_VIM),
    "emacs": _over_full(_EMACS),
    "castero": _over_full(_CASTERO),
    "newsboat": _over_full(_NEWSBOAT),
}
