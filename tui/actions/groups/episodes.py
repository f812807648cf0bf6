"""Episodes: marks, downloads, their page and their links."""

from player.text.sentences import mark
from tui.actions.action import IN_LIST, ON_PAGE, PANES, Action, Focus, Group

_E = Group.EPISODES

EPISODES: tuple[Action, ...] = (
    Action("filter", "here.find", ("/",), mark("Filter this list"), mark("Filter the list, or find in the open tab"),
           _E, 50, mark("filter"), PANES, also=mark("find search")),
    Action("star", "marks.star", ("s",), mark("Star the episode"), mark("Star or unstar"), _E, 70, mark("star"),
           IN_LIST, also=mark("unstar favorite favourite like save")),
    Action("played", "marks.played", ("m",), mark("Mark the episode as played"), mark("Mark as played or unplayed"), _E,
           60, mark("played"), IN_LIST, also=mark("unplayed read done finished heard")),
    Action("download", "marks.download", ("d",), mark("Download the episode"), mark("Download, or delete the download"),
           _E, also=mark("delete remove file offline save")),
    Action("undo", "undoing.undo", ("U",), mark("Undo the last change"),
           mark("Undo the last change: mark, queue, verdict"), _E, also=mark("revert restore back")),
    Action("redo", "undoing.redo", ("ctrl+r",), mark("Redo what was undone"), "", _E, also=mark("again repeat")),
    Action("read", "open.read", ("v",), mark("Read the notes"), mark("Open or close the reading view"), _E,
           also=mark("page full screen zoom")),
    Action("tab_notes", "page.notes_tab", ("1",), mark("Show the notes"), "", _E, 35, mark("tabs"), ON_PAGE,
           partner="tab_bookmarks", also=mark("description")),
    Action("tab_chapters", "page.chapters_tab", ("2",), mark("Show the chapters"),
           mark("Show the chapters; {play} plays from one"), _E),
    Action("tab_transcript", "page.transcript_tab", ("3",), mark("Show the transcript"),
           mark("Show transcript; again: other language"), _E, also=mark("words text")),
    Action("tab_links", "page.links_tab", ("4",), mark("Show the links"), mark("Show the links; {play} opens one"), _E),
    Action("tab_bookmarks", "page.bookmarks_tab", ("5",), mark("Show the bookmarks of the episode"),
           mark("Show its bookmarks; {play} plays from one"), _E),
    Action("people", "page.people", ("p",), mark("Show the people in the episode"),
           mark("Show the people and their other episodes"), _E, also=mark("who guests hosts")),
    Action("follow", "page.follow_playback", ("f",), mark("Follow playback"), mark("Follow playback again"), _E),
    Action("narrower", "here.narrower", ("<",), mark("Make the text narrower"), "", _E, 30, mark("width"),
           (Focus.READING,), partner="wider", palette=False),
    Action("wider", "here.wider", (">",), mark("Make the text wider"), "", _E, palette=False),
    Action("next_episode", "list.next", ("J",), mark("Select the next episode"),
           mark("Select the next episode (any pane)"), _E, 45, mark("episodes"), (Focus.READING,),
           partner="previous_episode"),
    Action("previous_episode", "list.previous", ("K",), mark("Select the previous episode"),
           mark("Select the previous episode (any pane)"), _E),
    Action("links", "page.links", ("o",), mark("Choose a link"), mark("List the links: type a number, then {play}"), _E,
           65, mark("links"), ON_PAGE, also=mark("open browser url")),
    Action("copy_link", "here.copy", ("y",), mark("Copy the link"), mark("Copy the link to the episode's page"), _E,
           also=mark("yank clipboard url share")),
    Action("copy_links", "links.copy_all", ("Y",), mark("Copy all links"), mark("Copy all links as Markdown"), _E,
           also=mark("yank clipboard urls")),
)  # fmt: skip
