"""Listening: playback, jumps, speed and volume."""

from player.text.sentences import mark
from tui.actions.action import IN_LIST, PANES, Action, Focus, Group

_L = Group.LISTEN

LISTEN: tuple[Action, ...] = (
    Action("play", "here.enter", ("enter",), mark("Play the episode"),
           mark("Play; open a view or the notes"), _L, 100, mark("play"),
           (*PANES, Focus.FILTER, Focus.READING, Focus.ABOUT), also=mark("listen start open")),
    Action("pause", "playback.toggle", ("space",), mark("Pause or resume"), "", _L, 90, mark("pause"),
           (*PANES, Focus.READING), also=mark("stop continue")),
    Action("seek_back", "playback.seek_back", ("left",), mark("Jump back"), mark("Jump back {time}"), _L, 80,
           mark("seek"), (*IN_LIST, Focus.READING), partner="seek_forward", also=mark("rewind seek")),
    Action("seek_forward", "playback.seek_forward", ("right",), mark("Jump forward"), mark("Jump forward {time}"), _L,
           also=mark("skip fast seek")),
    Action("seek_back_far", "playback.seek_back_far", ("shift+left",), mark("Jump further back"),
           mark("Jump back {time}"), _L, also=mark("rewind seek")),
    Action("seek_forward_far", "playback.seek_forward_far", ("shift+right",), mark("Jump further forward"),
           mark("Jump forward {time}"), _L, also=mark("skip fast seek")),
    Action("previous_chapter", "playback.previous_chapter", ("comma",), mark("Go to the previous chapter"),
           mark("Restart chapter; again: previous"), _L),
    Action("next_chapter", "playback.next_chapter", (".",), mark("Go to the next chapter"), "", _L, also=mark("skip")),
    Action("undo_jump", "playback.undo_jump", ("u",), mark("Undo the last jump"), "", _L, also=mark("back")),
    Action("restart", "playback.restart", ("0",), mark("Restart the episode"),
           mark("Restart the episode (press twice)"), _L, also=mark("beginning start from")),
    Action("bookmark", "bookmark.add", ("b",), mark("Bookmark this moment"), mark("Bookmark what you hear"), _L,
           also=mark("earmark save keep remember mark")),
    Action("bookmark_note", "bookmark.add_with_note", ("B",), mark("Bookmark this moment with a note"),
           mark("Bookmark it with a note"), _L, also=mark("earmark save keep remember mark comment write")),
    Action("slower", "playback.slower", ("[",), mark("Play slower"), mark("Play slower (by {speed_step})"), _L, 20,
           mark("speed"), (Focus.NOTES,), partner="faster", also=mark("speed")),
    Action("faster", "playback.faster", ("]",), mark("Play faster"), mark("Play faster (by {speed_step}, same pitch)"),
           _L, also=mark("speed")),
    Action("normal_speed", "playback.normal_speed", ("backspace",), mark("Play at normal speed"), "", _L,
           also=mark("reset")),
    Action("keep_speed", "playback.keep_speed", (), mark("Keep this speed for this podcast"), "", _L,
           also=mark("save default own")),
    Action("quieter", "playback.quieter", ("-",), mark("Turn the volume down"), "", _L,
           also=mark("quieter softer lower sound")),
    Action("louder", "playback.louder", ("=", "+"), mark("Turn the volume up"), "", _L, also=mark("louder sound")),
    Action("mute", "playback.mute", (), mark("Mute or unmute"), "", _L, also=mark("volume silence sound")),
    Action("go_to_playing", "screen.go_to_playing", ("'",), mark("Go to the episode that's playing"), "", _L,
           also=mark("now current")),
)  # fmt: skip
