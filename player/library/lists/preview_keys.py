"""Where the episodes of previews are in the order of all episodes: before all times, so that every list ends before
them.

Their sort keys are SHIFT lower than those of other episodes. No index and no plan has to know of previews: a list by
date ends at FIRST_KEY, and other lists check the key of each row, which they read anyway.
"""

SHIFT = 1 << 50
"""In ms, some 35,000 years: dates of feeds lie between the years 1 and 9999."""
FIRST_KEY = -(1 << 49)
"""Lower than every key of an episode whose podcast is subscribed to, and higher than any of a preview."""
LISTED = f"+e.sort >= {FIRST_KEY}"
"""The condition on the table `episodes e`. With the plus it has no say in which index SQLite uses."""
SUBSCRIBED = "previewed_at IS NULL"
"""The condition on `podcasts`."""
SUGGESTED = "previewed_at = 0"
"""The same, for suggestions: previews that stay until the listener plays or removes them."""
PREVIEWS = "(SELECT id FROM podcasts WHERE previewed_at IS NOT NULL)"
