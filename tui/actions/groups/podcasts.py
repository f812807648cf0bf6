"""Podcasts: adding, refreshing, removing, files of subscriptions."""

from player.text.sentences import mark
from tui.actions.action import PANES, Action, Focus, Group

_P = Group.PODCASTS

PODCASTS: tuple[Action, ...] = (
    Action("add", "open.add", ("a",), mark("Find or add podcasts"),
           mark("Find podcasts by words, or add one by URL"), _P, 40, mark("add"), PANES,
           also=mark("add subscribe new feed rss url search directory apple fyyd gpodder")),
    Action("suggestions", "open.suggestions", (), mark("Podcasts suggested by Earmark"), "", _P,
           also=mark("find discover starter developer list recommended")),
    Action("charts", "open.charts", (), mark("Podcast charts"), mark("See what is popular, by country and topic"), _P,
           also=mark("find discover top popular country topic")),
    Action("refresh", "refresh.podcast", ("r",), mark("Refresh this podcast"),
           mark("Check this podcast for new episodes"), _P, 55, mark("refresh"), (Focus.SIDEBAR,),
           also=mark("update reload check new")),
    Action("refresh_all", "refresh.all", ("R",), mark("Refresh all podcasts"),
           mark("Check all podcasts for new episodes"), _P, also=mark("update reload check new fetch")),
    Action("refresh_results", "refresh.results", (), mark("Show the results of the last refresh"), "", _P,
           also=mark("failed errors new news feeds")),
    Action("about", "podcasts.about", ("i",), mark("About this podcast"), mark("Show details, statistics and links"),
           _P, 45, mark("about"), (Focus.SIDEBAR,), also=mark("info details statistics")),
    Action("podcast_settings", "podcasts.settings", ("c",), mark("Settings of this podcast"),
           mark("Change its speed, skips, new episodes"), _P, 93, mark("settings"), (Focus.ABOUT,),
           also=mark("speed volume skip intro outro inbox filter configure")),
    Action("tags", "arranging.tags", ("#",), mark("Tags of this podcast"),
           mark("Change its tags, which group podcasts"), _P, 92, mark("tags"), (Focus.ABOUT,),
           also=mark("label folder group category")),
    Action("rename", "arranging.rename", ("f2",), mark("Rename this podcast"), mark("Give it a title of your own"), _P,
           also=mark("title name call")),
    Action("pin", "arranging.pin", ("^",), mark("Pin this podcast"), mark("Pin it: pinned podcasts stand first"), _P,
           also=mark("unpin top first favorite favourite")),
    Action("remove", "here.delete", ("delete",), mark("Unsubscribe, or delete the bookmark"),
           mark("Unsubscribe (asks first); delete a bookmark; unqueue"), _P, also=mark("remove podcast")),
    Action("login", "podcasts.sign_in", (), mark("Sign in to a server"),
           mark("Sign in to the server of this podcast or episode"), _P,
           also=mark("name password log login account private")),
    Action("import_podcasts", "podcasts.import_opml", (), mark("Import podcasts from a file"),
           mark("Bring podcasts from an OPML file or another app, with played marks and positions"), _P,
           also=mark("opml subscribe antennapod gpodder castero newsboat kasts migrate move")),
    Action("export_podcasts", "podcasts.export_opml", (), mark("Export to a file"),
           mark("Export your podcasts (OPML), everything of yours, or a document to read"), _P,
           also=mark("opml json markdown backup save podcasts")),
)  # fmt: skip
