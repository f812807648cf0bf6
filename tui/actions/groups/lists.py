"""Lists: how each is shown."""

from player.text.sentences import mark
from tui.actions.action import Action, Group

_E = Group.EPISODES

LISTS: tuple[Action, ...] = (
    Action("order", "here.order", ("z",), mark("Change the order of this list"),
           mark("Change the order of the list, or of podcasts"), _E,
           also=mark("sort reorder date length oldest newest")),
    Action("hide_played", "here.hide_played", ("H",), mark("Hide or show what is played"),
           mark("Hide or show what is played: here, or podcasts"), _E, also=mark("unplayed filter finished")),
    Action("continue_list", "view.continue_list", (), mark("Play on with this list after the queue, or don't"), "", _E,
           also=mark("continue autoplay next oldest newest")),
    Action("playlist", "own_lists.add_to_playlist", ("P",), mark("Add to a playlist"), "", _E, also=mark("list save")),
    Action("save_search", "own_lists.save_search", (), mark("Save a search as a list"),
           mark("Save a search as a smart list"), _E, also=mark("smart list filter new")),
    Action("edit_list", "own_lists.edit", (), mark("Edit or rename this list"), "", _E,
           also=mark("smart list playlist query")),
    Action("download_list", "own_lists.download", (), mark("Download this list by itself"), "", _E,
           also=mark("smart list playlist rule offline automatically")),
    Action("delete_list", "own_lists.delete", (), mark("Delete this list"), "", _E,
           also=mark("remove smart list playlist")),
)  # fmt: skip
